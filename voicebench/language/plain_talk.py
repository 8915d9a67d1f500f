"""Words of ordinary talk on the telephone, and words that stand for one thing: no topic of anybody's.

Whoever speaks uses these beside what the call is about, so that what is left of a sentence without them is its topic.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["is_plain", "same_things", "stem"]

_PLAIN = frozenset(
    re.findall(
        r"\w+",
        """
a about above absolutely absurd accept account actual actually add address advance afraid after afternoon again
against agent ago agree ah ahead ahem aint alive all allow almost alone along aloud already alright also although
always am an and angry annoy another answer any anybody anymore anyone anything anytime anyway anywhere apologize
appear appreciate april are area arent around arrangement as aside ask assume at attach attention august automatic
automatically autumn availability available aware away awful back background bad bat be bear because become been
beep before begin behind being believe belong below bend beside best better between beyond big birth birthday bit
blame body both bother bottom break brief bring bunch busier busy but button by bye calendar call callback callbacks
caller calling calm came can cannot cant capital care careful case catch cause cent certain certainly chance change
chase check cheer choice choose clarify clear clearly click clinic close clue code colleague come comfortable comma
common company complete completely concern confirm confirmation confuse connect connection consider contact continue
convenient convince copy correct cos cost could couldnt couple course crackle crazy customer cut damn darn dash date
day deal dear december decide definitely deny department depend describe desk despite detail did didnt differ
different difficult digit direct directly do document doe doesnt dokey dollar done dont door dot double doubt down
drop due dunno during each ear earlier early easier easily easy either else em email end ending ends enough entire
er erm error especially estimate eve even evening ever every everybody everyone everything everywhere exact exactly
example except exception excuse expect expensive explain extra eye face fact fail fair fall far fast fault favor
february feel feels felt fetch few figure file final finally find fine finish firm first fit fix flexible flip folk
folks follow fool for forget forgot forgotten form forward found free frequent friday from front frustrate full
further fuss gather gave general get gimme give given glad gladly glance glass go god goe going gone gonna good
goodbye goodness gosh got gotcha gotta grab grand grateful great guess guessing guy guys ha had hadnt haha half hand
handle handsfree handy hang happen happy hard hardly has hasnt hassle hate have havent having he head headset heap
hear heard heaven hell hello help helpful her here hers herself hes hesitate hey hi him himself hint his hmm hold
honest honestly honey hook hope hopefully hour how however huh human hundred hung hungry hurry hyphen i id idea
identify identity idk if ill im imagine immediate important impossible in indeed inform information initial instead
instruct intend interest internet interrupt into is isnt issue it itll its itself ive january job joke jot july june
just keep kept kidding kind kinda knock know known large last lastly late later latest law least leave left lemme
less let letter like likely line link listen literally little live ll load long longer look lose lost lot loud
loudly love low luck lucky ma mad madam made mail main make man manage manager manner many march matter may maybe me
mean meant meantime mention mercy mere mess message mhm microphone midday middle midnight might mind mine minute
miracle miss mistake misunderstand mix mm moment monday money month mood more morning most mostly mouth move mr mrs
ms much must my myself nah name near nearly necessary need neither nerve nervous never nevermind new next nice night
no nobody noise noisy none nonsense noon nope nor normal not note nothing notice now nowhere number nut nutshell
obvious obviously occasion occasionally oclock october odd of off offer office often oh ok okay okey old on once one
online only onto oops open operator opinion option or order ordinary other otherwise ouch our ourself out outside
over own page pair paper paperwork pardon part particular party pass past patience patient pause pay peek pen pencil
people per percent perfect perfectly perhaps period person persuade phone phrase pick piece pile pity place plain
plan please pleased pleasure pm point policy polite poor possible possibly post postal prefer preference prepare
press pretty previous price probable probably problem proceed process promise prompt pronounce proof proper properly
prove provide pull purpose push put puzzle question quick quickly quiet quit quite quote ran rang rather re reach
read ready real realize really reason recall receive recent reception record refer reference regard regular
regulation relate relax rely remain remember remind repeat rephrase replace reply representative request require
respect rest result ridiculous right righto ring room rough round rude rule rush said sake same satisfy saturday
save saw say schedule scratch scribble second secret section see seem seen send sense sent sentence separate
september seriou serious seriously service set settle settled several shall shame share she shed sheet shoot shop
short shortly should shouldnt shout shouting show shut side sigh signal silly similar simple simpler simply since
sir sit sits situation slot slow slowly small smart smooth so soft solution solve some somebody somehow someone
something sometime somewhere soon sooner sorry sort sorta sound speak speaker special specific specifically speech
speed spell spoke spoken spot spring staff stand start state status stay step still stop store story straight
strange stress stuck stuff stupid such sudden suggest suit summer sunday supervisor support suppose sure surely
surname surprise swear sweet sweetheart system take taken talk talkative tap team tell terrible text than thank
thankfully that the their them themself then there therefore thes these they theyll theyre theyve thing think
thirsty this those though thought thousand through throughout throw thursday tie til till time tiny tire tired to
today together told tomorrow tongue tonight too took top total totally touch tough toward town transfer trick tricky
trouble true truly trust truth try turn twice type ugly uh um unbelievable under understand understandable
understood undo unfortunately unhappy unless unlikely until up update upset urgent us use useful usual usually value
various verify very via voice wait walk wanna want warn was wasnt waste way we website wednesday week weekday
weekend weekly weird welcome well were werent weve what whatever whats when whenever whens where wheres whether
which whichever while who whoever whole whom whos whose why will willing winter wise wish with within without woman
wonder wont word work worry worse worst worth would wouldnt wow wrap write written wrong wrote ya yea yeah year yell
yep yes yesterday yet you youd youll your youre yours yourself youve yup zero zip
""",
    )
)

_SAME = (
    "appointment visit booking slot exam checkup physical examination consult consultation meeting see book schedule",
    "doctor physician clinician md practitioner doc",
    "lawyer attorney counsel counselor solicitor law legal",
    "invoice bill statement",
    "charge fee payment pay paid balance owe amount cost price sum cheap expensive",
    "return send back refund reimburse ship mail",
    "television tv set screen telly",
    "headphone headset earphone can ear studio listen music sound",
    "phone smartphone mobile cell device handset",
    "laptop computer notebook machine pc",
    "device item product article unit gadget",
    "delivery deliver shipment ship package parcel driver van arrive",
    "member membership join sign subscribe subscription enroll",
    "scam fraud fake suspicious phishing text message crook trick con pretend thief",
    "test result lab blood finding report",
    "scan mri image imaging picture radiology tube",
    "medicine medication drug pill tablet prescription refill dose",
    "daughter son child kid girl boy mother father parent mom dad",
    "wife husband spouse married marriage partner",
    "bankruptcy bankrupt debt owe creditor loan pay afford money broke bank",
    "fire fired dismiss terminate terminated job employer boss work sack employ employee",
    "divorce separate separation custody spouse",
    "house home apartment flat property landlord rent lease tenant",
    "accident crash collision hit injury injure hurt truck trucking car",
    "will testament estate draft",
    "case matter file proceeding lawsuit suit",
    "cancel cancellation scrap drop",
    "stub paystub payslip wage salary paper document",
    "stole stolen theft steal robbery thief",
    "broken broke break defect defective damage damaged crack faulty dead repair fix",
    "password login account sign",
    "insurance insurer insured coverage cover policy plan",
    "pacemaker implant metal heart chest",
    "ache pain hurt sore painful",
    "dizzy faint spin lightheaded",
    "yearly annual year",
    "switch turn",
    "evening night afternoon morning noon",
    "note message write wrote jot memo record",
    "card visa mastercard credit debit",
    "month monthly installment rate plan spread part",
    "hand transfer connect put person human agent",
    "gift present voucher coupon card certificate",
)


def stem(word: str) -> str:
    """Return a word without a plural's or a verb's ending, roughly: both forms of one word come out the same."""
    if len(word) <= 3:
        return word
    for ending, instead in (
        ("ies", "y"),
        ("sses", "ss"),
        ("xes", "x"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("ing", ""),
        ("ied", "y"),
        ("ed", ""),
        ("s", ""),
    ):
        if word.endswith(ending) and not (ending == "s" and word.endswith("ss")):
            cut = word[: -len(ending)] + instead
            if len(cut) >= 3:
                word = cut
                break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


_PLAIN_STEMS = _PLAIN | frozenset(map(stem, _PLAIN))
_GROUPS = tuple(frozenset(map(stem, group.split())) for group in _SAME)


def is_plain(word: str) -> bool:
    """Whether a normalised word belongs to ordinary talk."""
    bases = (word, word[:-1], word.removesuffix("er"), word.removesuffix("est"))  # used, slower, slowest
    return stem(word) in _PLAIN_STEMS or any(base in _PLAIN for base in bases)


@lru_cache(8192)
def same_things(word: str) -> frozenset[str]:
    """Return the stems of the words that stand for what a stem stands for, itself among them."""
    return frozenset({word}).union(*(group for group in _GROUPS if word in group))
