"""The words for the details that companies ask for: nouns, and questions that name a detail by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from voicebench.language.labels import Detail

__all__ = ["DetailNoun", "has_value", "nouns_in", "questions_in"]

_NO = r"(?:numbers?|nos?|ids?|i d|identification(?: number)?|identifiers?|codes?|digits)"
_PERSON = (
    r"(?:patient|customer|caller|client|card ?holder|account ?holder|policy ?holder|passenger"
    r"|travell?er|guest|member|subscriber|person"
    r"|son|daughter|wife|husband|spouse|child|mother|father|partner|driver|owner|buyer|recipient|insured)"
)
_RECORD = (
    r"(?:account|order|reservation|booking|card|file|profile|policy|ticket|bill|invoice|plan|membership|record|chart)"
)
_ORDER = (
    r"(?:order|orders|reservation|booking|bookings|confirmation|tracking|purchase|ride|trip|ticket"
    r"|reference|ref|invoice|receipt|case"
    r"|claim|appointment|transaction|shipment|rental|delivery|parcel|package|return|rma|incident)s?"
)
_ACCOUNT = (
    r"(?:account|acct|member|membership|customer|client|user|patient|policy|subscriber|insurance"
    r"|loyalty|rewards?|frequent flyer|medical"
    r"|record|chart|file|group|matter|profile|employee|student|service|enrollee|beneficiary|plan|health ?card)s?"
)
_PHONE = r"(?:phone|telephone|mobile|cell ?phone|cell|cellular|contact|call ?back|day ?time|home|work|land ?line)"
_DAY = r"(?:dates?|days?|times?|month|week|weekday|hour|time ?frame|time ?slot)"
_OF_EVENT = r"(?: of (?:the|your) (?:accident|incident|injury|loss|crash|fall|purchase|delivery|visit|call|week))?"
_TROUBLE = (
    r"(?:problems?|issues?|troubles?|fault|defect|error|incident|complaint|accident|fraud|damage"
    r"|malfunction|symptoms?|situation)"
)
_THING = (
    r"(?:orders?|items?|products?|devices?|models?|brands?|cards?|reservations?|bookings?|flights?"
    r"|movies?|films?|purchases?|appliances?"
    r"|packages?|parcels?|subscriptions?|appointments?|prescriptions?|units?|articles?|shows?|trips?|hotels?|cars?)"
)

_NOUNS: tuple[tuple[Detail, str], ...] = (
    (
        "birth_date",
        r"(?:date|day|month|year)(?: (?:and|or) (?:date|day|month|year))* of (?:(?:your|the|his"
        r"|her|their|patients?) )?birth",
    ),
    ("birth_date", r"birth ?(?:dates?|days?|month|year)|d ?o ?b"),
    (
        "other",
        r"last (?:4|for|four)(?: digits| numbers)? of (?:your |the )?(?:social(?: security)?(?: number)?|ssn)"
        r"|pin(?: (?:number|code))?|ssn|social security(?: number| digits)?|social number"
        r"|pass ?words?|pass ?codes?|pass ?phrase"
        r"|(?:answers? (?:to|for) )?(?:your |the )?(?:security|secret) (?:questions?|answers?"
        r"|codes?|words?)(?: answers?)?"
        r"|(?:your |the )?(?:mothers? )?maiden name|cvv|cvc|(?:verification|access|one time"
        r"|authori[sz]ation|activation|promo|coupon) codes?"
        r"|user ?names?|log ?in(?: name)?|screen name|(?:drivers? )?licen[cs]e(?: (?:number"
        r"|plate))?|passport(?: number)?"
        r"|(?:name of )?(?:your |the )?(?:childhood |first )?pets?(?: name)?|area code"
        r"|serial number|flight (?:number|id)"
        r"|expir(?:ation|y) dates?|routing number|number of (?:people|persons|guests|passengers"
        r"|tickets|bags|nights|seats|children)"
        r"|(?:party|group) size|membership (?:level|status)|name of (?:the |your |that "
        r"|this )(?:company|business|shop|store|movie|film|theater"
        r"|theatre|restaurant|hotel|doctor|physician|school|bank|pet|street|city|town|brand"
        r"|employer|airline|street)"
        r"|(?:company|business|doctors?|physicians?|pets?|dogs?|cats?|movie|film|theater|theatre"
        r"|restaurant|hotel|street|city|employers?"
        r"|bank|file|brand|schools?|teachers?|store|shop|street|airline|agents?"
        r"|hospital|clinic|pharmacy) names?",
    ),
    (
        "full_name",
        rf"{_PERSON}s?(?: (?:first|last|full|legal|and))* names?|(?:first|last|full|given|family"
        rf"|middle|legal|own|complete|sur)(?:,? (?:and|or|first"
        r"|last|full|middle|given|family))*(?: names?)? names?|(?:first and last|last and first)\b|sur ?names?"
        rf"|names? (?:of the|of your|on the|on your|on this|under the|for the|for this"
        rf"|as it appears on (?:the|your)|associated with (?:the|your)"
        rf"|that is on the) (?:{_PERSON}|{_RECORD})|names?(?! (?:of|for) (?:the|your|that|this))(?! the (?:id|item|"
        rf"product|number|date|day|reason|problem|issue|thing)\b)",
    ),
    ("email", r"e ?mail(?: ?address(?:es)?)?(?: on file)?|mail address"),
    (
        "postal_code",
        r"(?:(?:billing|shipping|mailing|home|five digit|5 digit) )?(?:zip|postal|post) ?codes?"
        r"|post ?codes?|zips?|postal",
    ),
    (
        "phone",
        rf"(?:(?:best|good|preferred|alternate|alternative|current"
        rf"|area code and) )*{_PHONE}(?: (?:phone|telephone|contact))*(?: (?:numbers?|nos?))"
        r"|(?:cell|mobile|home|work) ?phone|(?:best|good|right|correct|preferred|alternate"
        r"|another) (?:phone )?(?:number|contact)(?! of)(?! for the)"
        r"|(?:a |the )?number (?:(?:where|at which|that|on which) )?(?:i|we|they|someone|somebody"
        r"|the \w+) (?:can|could|should|may|might|would)"
        r"|(?:a |the )?number (?:(?:for us )?to (?:reach|call|contact|text|use for)|you(?:re"
        r"| are) calling from|to call you|for (?:the|a) (?:call ?back|driver))"
        r"|(?:best|good|easiest) way (?:for us )?to (?:reach|contact|call)|contact (?:number|phone)s?",
    ),
    (
        "which_item",
        r"(?:items?|products?|articles?|sku|model|style|catalogu?e|upc)(?: (?:item|model|part))? (?:numbers?|nos?|"
        r"ids?|i d|codes?)"
        r"|sku|(?:name|number|id|code)s? (?:of|for|on) (?:the|your|that|this|each|which) (?:new |other )?(?:items?|"
        r"products?|"
        r"articles?)(?! (?:number|code))|(?:part|parts|portion|half|leg|segment|section)s? of (?:the|your|this|that) "
        rf"{_THING}(?= (?:you|that|is|to|needs?|do|does|would|did|are|should|shall|can)\b|$)",
    ),
    (
        "order_number",
        rf"{_ORDER}(?: confirmation| reference)?(?: {_NO})+|record locator|pnr"
        rf"|{_ORDER} (?:reference|locator)s?"
        rf"|confirmation(?: number)? for (?:the|your) order",
    ),
    ("order_number", rf"{_NO} (?:of|for|on|from) (?:the|your|that|this) (?:{_ORDER}|confirmation email|confirmation)"),
    (
        "account_or_member_number",
        rf"(?:\d+ digit )?{_ACCOUNT}(?: (?:account|record|member|membership))?(?: {_NO})+|m ?r ?n|id numbers?"
        rf"|{_NO}(?: numbers?)? (?:on|from|of) (?:the|your)(?: (?:front|back) of (?:the"
        rf"|your))?(?: (?:insurance|member|membership|id|benefits?|health))* ?"
        r"(?:card|account|policy|membership|id)|(?:your|the) (?:member|customer|account|user|patient|client) i d",
    ),
    (
        "card_last4",
        r"(?:last|final) (?:4|for|fore|four)(?: digits?| numbers?)?(?: (?:of|on"
        r"|from) (?:either )?(?:the |your )?(?:\w+ ){0,2}card(?: number)?"
        r"| of either (?:\w+ ){1,7}card)?"
        r"|last (?:\d |two |three |few )?(?:digits?|numbers?) (?:of|on) (?:the |your )?(?:\w+ ){0,2}card(?: number)?"
        r"|(?:credit |debit |bank |payment )?card (?:numbers?|ends? (?:in|with)|ending)|(?:4"
        r"|four) digits (?:of|on|from) (?:the|your) card",
    ),
    (
        "address",
        r"(?:(?:street|home|mailing|shipping|billing|delivery|current|physical|residential|full"
        r"|property|house|latest|service|new|and|or) )*address(?:es)?",
    ),
    (
        "reason",
        r"(?:main |exact |primary )?(?:reasons?|purpose)(?: why| for| of| behind)?",
    ),
    (
        "what_happened",
        r"(?:detailed|full|complete|brief|short|quick|thorough|more detailed|written) (?:\w+ )?(?:report|account|"
        r"description"
        r"|explanation|summary|statement)(?! (?:number|id|balance|type|holder|name|access))(?: of)?|"
        rf"(?:details? (?:of|about|on|regarding) |description of |nature of )(?:the |your |this "
        rf"|what )?(?:\w+ )?(?:{_TROUBLE}|happened|claim|request)"
        rf"|(?:your |the |current )?symptoms?|{_TROUBLE} (?:description|details)"
        rf"|what (?:exactly )?(?:happened|went wrong|(?:the|your|is the) {_TROUBLE})"
        rf"|description(?: of| for)?"
        rf"|(?<!\bno )(?<!\bany ){_TROUBLE}(?! (?:reports?"
        rf"|claims?"
        rf"|department|form|team|number|id))",
    ),
    ("amount", r"(?:(?:payment|transfer|total|dollar|exact|full|deposit|withdrawal|purchase) )?amounts?(?! of \d)"),
    (
        "day_or_time",
        rf"(?:(?:travel|delivery|pick ?up|appointment|departure|arrival|return|start|end|check ?in"
        rf"|preferred|specific|exact|calendar|another|other"
        rf"|different|good|best|better|convenient|possible|desired|drop ?off|visit|payment|purchase"
        rf"|service|due) )*{_DAY}(?: (?:and|or) {_DAY})?{_OF_EVENT}(?! off\b)",
    ),
    (
        "which_item",
        rf"(?:which|what) (?:of (?:the|your|these|those) )?(?:\w+ )?{_THING}(?! (?:number|id|code|date|time|name)s?)",
    ),
    (
        "other",
        r"(?:city|town|state|country|employer|occupation|gender|age|party|location|language"
        r"|insurance(?: (?:company|provider|plan|card))?"
        r"|(?:os )?version|colou?r|quantity|destination|doctor|clinician|provider|height|weight"
        r"|nationality|ethnicity|profession"
        r"|(?:any |some )?(?:other|additional|further|extra)(?: \w+)? (?:details?|information|info|identification)"
        r"|photo id|proof of \w+|form of (?:id|identification)|account type|type of account"
        r"|identity|citizenship|allergies|medications?|relationship)",
    ),
)

_SINCE = r"(?:exactly |about |roughly |approximately |around |precisely |again )*"
_QUESTIONS: tuple[tuple[Detail, str], ...] = (
    (
        "birth_date",
        r"(?:(?:date|day|month|year)(?: (?:,|and|or|the))* )+(?:(?:that|when|on which|in which) )?"
        r"(?:you|he|she|they|the \w+|your \w+) (?:were|was|are|is) born|"
        r"(?:when|(?:what|which) (?:day|date|month|year)(?: and (?:day|month|year))*) (?:were|was"
        r"|are|is) (?:\w+ ){1,3}born",
    ),
    (
        "full_name",
        r"(?:who|whom) (?:am|m|im|are|were) (?:i|we) (?:\w+ )?(?:speaking|talking|chatting|dealing"
        r"|on the (?:line|phone))(?: (?:with|to))?"
        r"|(?:may|can|could|might) (?:i|we) (?:ask|know|say) (?:who|whom)(?:s| is| am|se)?\b"
        r"|(?:with |to )?whom (?:do|am) i|who (?:do|am) i (?:have|speak)"
        r"|who(?:s| is) (?:calling|speaking|this|on the (?:line|phone)|that)(?: please)?|(?:how"
        r"|what) (?:should|shall|may|can|do|would you like me to) (?:i |we )?"
        r"(?:address|call) you|what do they call you|(?:spell|say|repeat|tell me|give me|get|have"
        r"|catch) (?:\w+ )?(?:your |the )?(?:\w+ )?names?\b"
        r"|^(?:and )?you are$",
    ),
    (
        "phone",
        r"(?:how|where) (?:can|could|should|do|may|would) (?:i|we|they|someone|he"
        r"|she) (?:best )?(?:reach|contact|call|get (?:a )?hold of) you"
        r"|(?:what|which) number$|(?:what|which) number (?:(?:are|were) you calling from|(?:can"
        r"|should|could|may|do|would) (?:i|we|you|they|he|she|someone|somebody|the \w+|be)\b"
        r"|is best|would be best)"
        r"|(?:what|which)s?(?: (?:is|was|would be|will be))? (?:an? )?(?:good|better|convenient|preferred|working"
        r"|current) (?:(?:phone|telephone|call ?back|contact|day ?time) )?number\b",
    ),
    (
        "card_last4",
        r"(?:what|which|how)(?: \w+){0,3} (?:do|does|did|is|are) (?:your|the|that|this) (?:\w+ ){0,2}cards?"
        r"(?: number)? (?:ending|end|finish)\b(?! (?:in |with )?\d)",
    ),
    (
        "address",
        r"where(?:abouts)? (?:do|are) you (?:live|living)(?! in)|where (?:should|shall|can|do"
        r"|would you like) (?:i|we|us|it)(?: to)? (?:\w+ )?(?:ship|deliver|mail)",
    ),
    (
        "reason",
        r"why(?= (?:do|did|are|were|is|was|would|have|has|dont|didnt|should|isnt|arent|wont|cant"
        r"|exactly|not)\b|$)|how come"
        r"|what(?: \w+)? (?:made|makes|brought|brings|prompted|led|caused|leads|has brought"
        r"|makes) (?:you|this|it|that|him|her)|what(?:s| is| was) (?:behind|it (?:about|for))"
        r"|(?:tell me|ask|know|explain|say|share) why\b",
    ),
    (
        "what_happened",
        r"(?:what|which)(?: (?:parts?|aspects?|bits?|sides?|features?|things?|portion)(?: of (?:\w+ ){1,4}?)?)?(?: "
        r"exactly)? ?(?:that )?"
        r"(?:(?:are|were) you|you(?:re| are| were)|is) (?:\w+ )?(?:not (?:\w+ )?(?:satisfied|happy|pleased|working)|"
        r"unsatisfied|unhappy"
        r"|dissatisfied|displeased|having (?:\w+ )?(?:trouble|problems?|issues?|difficult\w+)|complaining|struggling|"
        r"upset"
        r"|bothering|experiencing|disappointed)|what (?:\w+ ){0,2}you(?: (?:dont|do not|didnt|did not))? (?:like|liked|"
        r"dislike|disliked) about"
        r"|"
        rf"what(?: exactly| actually| all)? (?:happened|happens|went wrong|occurred|took place)"
        rf"|whats? (?:is |was |exactly is |exactly |seems? to be |appears to be )?(?:the |your )?"
        rf"(?:(?:exact|main|specific) )?(?:wrong|going on|happening|the matter|(?:the )?{_TROUBLE})(?! (?:number|id))"
        rf"|what (?:seems|appears) to be (?:the )?\w+|(?:what|which) (?:kind|type|sort|kinds"
        rf"|types)s? of {_TROUBLE}|what (?:is|are) (?:it|they) doing"
        rf"|what (?:does|do|did|is|was) (?:it|they|the (?:caller|message|text|email|error|screen)"
        rf"|he|she) (?:do|doing|say|want|show|saying|ask)"
        rf"|(?:whats?|what is|what are) (?:bothering|troubling|hurting|ailing) |where does it hurt"
        rf"|how are you feeling|what should i (?:list|put|write|note|enter|report)"
        r"|describe|walk me through|tell me (?:more |a bit more |a little |a bit "
        r"|a little bit )*about (?:the|your|what|it\b)|in your own words"
        r"|(?:is|was|are|were) (?:there )?(?:anything|something) (?:wrong|the matter|broken"
        r"|missing|damaged)|give me (?:some |more )*information about what",
    ),
    (
        "amount",
        r"(?:for )?how much(?! (?:time|longer|earlier|later|sooner|notice|experience|of a))"
        r"|what amount|how many (?:dollars|credits|euros|pounds)",
    ),
    (
        "which_item",
        rf"(?:which|what) (?:of (?:the|your|these|those|them) )?(?:\w+ )?{_THING}(?! (?:number|id"
        rf"|code|date|time|name|address|type|price|reference)s?)\b"
        rf"|whats? (?:is |was |are )?the {_THING} (?:you|that|in question)"
        r"|(?:(?:does|do|would|will|is|are|can|could) )?(?:either|any|one|1) of (?:these|those|them|the (?:two|2|"
        r"three|3|above|options))"
        r"(?= (?:\w+ )?(?:works?|suits?|be|ok|okay|good|fine|all right|convenient|possible|sounds?|appeal|you)\b)"
        r"|(?:what|which) (?:\w+ )?is it (?:that )?(?:you|youd|youre) (?:\w+ )*?(?:return(?:ing)?"
        r"|send(?:ing)? back|exchange|cancel|replace|order)"
        r"|which (?:one|1)s?\b(?! (?:day|date))|which of (?:them|these|those|the|your)"
        r"|(?:what|which) (?:\w+ )?(?:are you|were you|would you like to|do you want to"
        r"|did you want to|will you be|do you wish to|are we) (?:\w+ )?"
        r"(?:returning|return|send back|sending back|exchanging|exchange|cancel|cancelling"
        r"|canceling|replac\w+|calling about|move|fix|repair|repaired|buy|purchase|order|ordering"
        r"|bring in)"
        r"|what did you (?:buy|order|purchase)",
    ),
    (
        "day_or_time",
        rf"(?:what|which)(?: (?:other|specific|exact|particular|preferred|calendar|travel|delivery"
        rf"|pick ?up|appointment|departure|return|start|end|and|or|\w+ing|of the))*"
        rf"(?: {_DAY})(?! (?:of (?:your |the )?birth|is it|zone|of year))|when(?= {_SINCE}(?:would"
        rf"|do|did|will|should|can|could|is|was|are|were|shall|might|"
        rf"works?|suits?|does|has|have)\b|$)|(?:until|till|since|by|for|from) (?:when|what (?:day"
        rf"|date|time))|how (?:soon|early|late)\b|what would be (?:a |the )?(?:good|best"
        rf"|convenient) (?:day|time|date)"
        rf"|(?:is|would) there(?: be)? (?:a|an|another|any|some) (?:\w+ )?{_DAY}|(?:a|another|any"
        rf"|your|the) (?:good|better|best|convenient|preferred|particular|specific) {_DAY}"
        r"|(?:tell me|let me know|let us know|specify|say|share|indicate|know"
        r"|ask) when\b(?! (?:you(?:re| are| have| ve| find| get|ve)|youre|youve|i|we|its|that|this"
        r"|it (?:is|arrives|comes)))"
        r"|(?:mornings?|afternoons?|evenings?|weekdays?) or (?:in the |an |the )?(?:mornings?"
        r"|afternoons?|evenings?|weekends?)",
    ),
)


@dataclass(frozen=True)
class DetailNoun:
    """A noun of a detail, and where it stands in the words; one that is ``vague`` may well be a pack's own ("town")."""

    detail: Detail
    start: int
    end: int
    vague: bool = False


def _compiled(table: tuple[tuple[Detail, str], ...]) -> tuple[re.Pattern[str], tuple[Detail, ...]]:
    pattern = "|".join(f"(?P<d{at}>{text})" for at, (_, text) in enumerate(table))
    return re.compile(rf"(?:(?<=\s)|^)(?:{pattern})(?=\s|$)"), tuple(detail for detail, _ in table)


_NOUN, _NOUN_DETAILS = _compiled(_NOUNS)
_QUESTION, _QUESTION_DETAILS = _compiled(_QUESTIONS)
_QUESTION = re.compile(_QUESTION.pattern.removesuffix(r"(?=\s|$)"))
_VALUE = re.compile(
    r"(?: (?:is|was|as|of|with|ending|ends|in|starting|number|id|,|has been"
    r"|have been))*(?: [b-hj-z]\b){0,12}(?: [a-z]{1,3})?"
    r"(?: \d+ [a-z]{1,6} \d+| (?=\w*\d\w*\d)[\w]{3,}| (?=[a-z]*\d)\w{4,}|(?: [a-z\d]){4,})\b|"
    r" (?:is|are|was|has been|have been|was already)(?: now| still| already| also| been)* (?:the )?"
    r"(?:correct|right|valid|current|up to date|verified|the same|accurate|confirmed|on file"
    r"|updated|changed|found|ending)"
)
_OWN_VALUE = frozenset({"day_or_time", "amount", "reason", "what_happened", "which_item", "other"})


def nouns_in(words: str) -> Iterator[DetailNoun]:
    """Yield the nouns of details, from left to right, none overlapping."""
    for one in _NOUN.finditer(words):
        at = int((one.lastgroup or "d0")[1:])
        yield DetailNoun(_NOUN_DETAILS[at], one.start(), one.end(), vague=at == len(_NOUNS) - 1)


def questions_in(words: str) -> Iterator[DetailNoun]:
    """Yield the questions that name a detail without a request around it: "when were you born"."""
    for one in _QUESTION.finditer(words):
        yield DetailNoun(_QUESTION_DETAILS[int((one.lastgroup or "d0")[1:])], one.start(), one.end())


def has_value(detail: Detail | None, words: str, end: int) -> bool:
    """Whether the value of a detail follows its noun: what is told is not asked for."""
    return detail not in _OWN_VALUE and _VALUE.match(words, end) is not None
