"""Acts of an agent at work: it asks to wait, says what it does, and asks whether it should."""

from __future__ import annotations

from voicebench.language.act_pattern import act_pattern

__all__ = ["WAITING"]

# ---- waiting ----------------------------------------------------------------------------------------------------

_SHORT = r"(?:moments?|minutes?|seconds?|sec|secs|bit|while|instant|mo|tick|jiffy)"
_HOLDS = (
    act_pattern(
        "hold",
        rf"\b(?:1|one|a|another|1 more|one more|a few|2|two|just|few|brief|short|quick|couple of|couple|half a) "
        rf"(?:more |brief |quick |short |little |longer |few )*(?:{_SHORT}(?<!bit)(?<!while)(?=$| \w+)|(?:bit|"
        rf"while)(?=$| (?:please|while|longer|here|and|as)\b))",
        r"\b(?:do you have|have you got|got|spare|if you have|within|last|every|per|away|ago|late|early|takes? you|"
        r"will take place|arriv\w+|ready in|minutes from|be there in|for a while|a while (?:ago|back)|quite a "
        r"while|after a while|been a while|a bit (?:more|too|of|about|late|early)|bit more (?:info|detail)\w*)\b|"
        r"\b(?:[3-9]|[1-9]\d+) (?:more )?minutes\b",
    ),
    act_pattern(
        "hold",
        rf"\b(?:moment|second|sec|minute) please\b|^(?:(?:just|okay|ok|alright|all right|sure|yes|thanks|thank you|"
        rf"hm|hmm|right) )*(?:a|1|one) {_SHORT}$|\b(?:give|grant|allow|spare) me (?:just |only )?(?:a|1|one|some|a "
        rf"few|another|a couple of|2|two|just)\b(?! (?:call|ring|number|name|day|detail|reason))",
        r"\b(?:if you give|info\w*|details?|numbers?|digits|descriptions?|account of|reasons?|summary|report|idea|"
        r"example|"
        r"dates?|hint|names?|list|picture)\b",
    ),
    act_pattern(
        "hold",
        r"\b(?:hold on|hang on|please hold|hold please|hold the line|bear with (?:me|us)|stand by|stay on the line|"
        r"stay with me|stay tuned|stay connected|hold tight|sit tight|remain on the line|keep holding|on a brief "
        r"hold|(?:put|place|putting|placing) you on (?:a )?(?:brief |quick |short )?hold|(?:please|to|and|you|"
        r"kindly|just) (?:wait|hold)(?=$| (?:on|a|for|while|here|please|so|there|just|1|one|until|till|the|"
        r"your)\b)|wait (?:a|1|one|for a|just|please|here|while)|(?<!for )your patience|be patient|patience "
        r"please)\b",
        r"\b(?:for being patient|want to wait|like to (?:wait|hold)|prefer to (?:wait|hold)|need to wait|have to "
        r"wait|wait (?:until|till) (?:monday|tuesday|wednesday|thursday|friday|the (?:refund|money|package))|wait "
        r"(?:\d+ )?(?:days?|weeks?)|dont (?:hang|hold|wait)|on your account|a hold on|hold (?:your|the|that|this|"
        r"it) (?:appointment|slot|order|item|reservation|spot|day|place|package|delivery))\b",
    ),
    act_pattern(
        "hold",
        rf"\b(?:this|it|that) (?:will|may|might|could|should|can|wont|ll|would) (?:only |just )?(?:take|be|need) "
        rf"(?:me |us |just |only |but |about )*(?:a|1|one|some|long|not long|a few|2|two|a couple of)(?: "
        rf"\w+)? ?(?:{_SHORT}|long|time)?$|\bi(?:ll| will) be (?:right )?(?:back|with you)(?: (?:in|right|shortly|"
        rf"soon|very)\b.*)?$|\b(?:back|right) with you\b|\bwont (?:be|take) (?:long|a moment|a minute|a second)\b|"
        rf"\bback in (?:a|just|1|one)\b|\bbe with you (?:shortly|soon|in)\b|\balmost (?:there|done)\b|\bnearly "
        rf"(?:there|done)\b",
        r"\b(?:days?|weeks?|hours|somebody|someone|agent|colleague|person|specialist|representative|technician)\b",
    ),
    act_pattern("hold", r"\b(?:one|1|a) moment\b", r"\b(?:do you have|have you got|at the moment|got|spare)\b"),
)
_VERBS = (
    r"(?:check|look|pull|see|find|verify|bring|get|take|open|search|review|do|start|set|book|cancel|schedule|"
    r"process|update|note|make|put|run|file|try|move|work|arrange|submit|create|retrieve|fetch|access|load|read|"
    r"pass|reserve|place|issue|add|change|apply|send|proceed|help you|assist you|double check|recheck|investigate|"
    r"examine|consult|ask|reach|report|record|log|enter|type|write|fill|prepare|complete|finish|finalize|calculate|"
    r"generate|edit|modify|adjust|correct|fix|refresh|upgrade|downgrade|switch|remove|delete|release|lift|restore|"
    r"reset|resend|print|order|register|enroll|walk|begin|continue|research|compare|gather|determine|figure|"
    r"identify|request|inspect|track|trace|go (?:and|over|through|ahead))"
)
_WORKING = (
    r"(?:check|look|pull|see|find|verify|bring|gett|search|review|confirm|work|process|updat|not|mak|runn|try|book|"
    r"cancel|cancell|schedul|arrang|submitt|creat|retriev|fetch|access|load|reserv|plac|issu|add|chang|apply|send|"
    r"proceed|double check|investigat|examin|consult|record|logg|enter|prepar|complet|finaliz|calculat|generat|"
    r"modify|adjust|open|fix|refresh|upgrad|switch|remov|reset|order|register|research|gather|sett|put|wait|read|"
    r"stor|hold|mov|tak|go|do|print|writ|typ|track|trac|fil)ing"
)
_OTHER_ANNOUNCEMENT = (
    r"\b(?:let me know|let me (?:just )?(?:transfer|connect|put you|pass|hand|have (?:your|the)|ask you|get your|"
    r"take your|start by asking|confirm|read|repeat|make sure (?:i|that i))|(?:ill|i will) (?:need|have|be "
    r"(?:happy|glad|able)|try to help|ask you|take your|get your))\b"
)
_CONDITIONAL = (
    r"(?<!see )(?<!check )(?<!verify )(?<!out )\b(?:if (?:you|there|that|its|the)|once (?:you|i|we)|unless|when "
    r"you|as soon as you|after you|before i|until|whether you)\b"
)
_GETS_PERSON = (
    r"\b(?:ill|i will|let me) (?:get|find|call|bring|ask|send|take|move|put) (?:you |in )?(?:an? |the |our |my |"
    r"some)?(?:human |real |live )?(?:person|somebody|someone|agent|colleague|manager|supervisor|representative|"
    r"specialist)\b"
)
_SPEAKER = (
    r"(?:let me|ill|i will|i shall|we will|well|allow me to|im going to|i am going to|we are going to|were going "
    r"to|(?:id|i would|we would) like to|about to|while (?:i|we)|gonna|(?:moment|minute|second|sec|time) to|lets "
    r"(?:just |first |quickly )*(?=check|see|look|find|pull))"
)
_WORKS = (
    act_pattern(
        "working",
        rf"\b{_SPEAKER}(?: (?:just|now|quickly|go ahead and|first|also|quick|then|gladly|happily|certainly|"
        rf"definitely|please|go and|try to|see if i can|take a moment to|need to|directly|right away|immediately|"
        rf"personally|have to))* {_VERBS}\b",
        _OTHER_ANNOUNCEMENT
        + "|"
        + _CONDITIONAL
        + r"|\b(?:you (?:need|have|want|going|will need|are going|would like|wish|like)(?: \w+)? to|would you|do you|"
        r"like me to|want me to)\b|" + _GETS_PERSON,
    ),
    act_pattern(
        "working",
        rf"\b(?:im|i am|we are|were|am|still|just|currently|now|busy|be)(?: (?:just|now|currently|still|quickly|"
        rf"also|going ahead and|already|right now|in the process of|actively|in|busy))* {_WORKING}\b",
        r"\b(?:youre|you are|they are|what|when|were (?:closed|open|not)|transferring|connecting|still (?:need|"
        r"require)|if|calling to|not (?:finding|seeing|getting|sure)|forward to|looking at (?:a|an) (?:wait|cost|"
        r"fee|price)|seeing (?:that|your|a|no)|putting you|handing|passing)\b",
        False,
    ),
    act_pattern(
        "working",
        rf"^(?:(?:okay|ok|great|sure|alright|all right|now|yes|thanks|thank you|perfect|certainly|of course|and|no "
        rf"problem|right) )*(?!putting you|doing|setting up|holding){_WORKING}\b(?! (?:else|for (?:something|"
        rf"anything|more)|more|wrong|is|was|the (?:day|time) of|depends|takes|costs?|number)\b)",
        r"\b(?:going|booking (?:confirmed|is|was|id|number|has|failed|reference)|booking$|reading$|filing (?:is|"
        r"takes)|costs?|would|can be|is (?:not|free|possible)|will (?:allow|cost|save))\b",
        False,
    ),
    act_pattern(
        "working",
        r"\b(?:let me|ill|i will) (?:try|do) (?:that|it|this)|\btaking a look\b|\bhave a (?:quick )?look\b|\btake "
        r"a (?:quick |closer )?look\b|\b(?:is|are) (?:being |still )?(?:loading|processing|coming up|pulling up)\b|"
        r"\b(?:system|computer|screen) is (?:a bit |a little |very |rather )?(?:slow|loading|thinking)\b|\bon it$|"
        r"\bi(?:ll| will) (?:get|be) right on (?:that|it)\b|\bworking on (?:it|that|this)\b",
        r"\b(?:you |if|transfer|when you|put you|once)\b",
    ),
)

# ---- consent ----------------------------------------------------------------------------------------------------

_WH = r"\b(?:who|whom|what|whats|which|when|where|why|how)\b"
_DO = (
    r"(?:book|cancel|schedule|reschedule|place|order|submit|file|process|issue|send|charge|use|add|change|update|"
    r"move|start|open|set|reserve|try|search|look|go ahead|go with|proceed|continue|make|put|record|note|return|"
    r"refund|apply|switch|upgrade|downgrade|remove|renew|close|ship|replace|keep|purchase|buy|pay|sign|enroll|"
    r"register|report|request|create|do|finalize|complete|mark|take|hold|turn|stop|save|store|enter|confirm|"
    r"arrange|extend|waive|credit|write|leave|mail|email|text|print|check|find|read|see|go|accept|page|pass|have|"
    r"rent|get)"
)
_DEED = (
    r"(?:transfers?|bookings?|purchases?|payments?|cancell?ations?|reservations?|changes?|exchanges?|returns?|refunds?|"
    r"orders?|appointments?|requests?|upgrades?|transactions?|deposits?|withdrawals?|deletion|renewal|modifications?|"
    r"replacement|move|reschedul\w+|charge|enrol\w+|switch|update|delivery)\b"
)
"""What an agent does for a caller who says yes to it."""
_NO_CONSENT = (
    _WH + r"|\b(?:speak|talk|chat) (?:to|with)\b|\b(?:anything|something|any (?:other|further|more)|"
    r"nothing)(?: else)?\b|(?<!day )(?<!another time )(?<!date )\bor (?!not\b|would you|do you (?:have|need|"
    r"want)|shall|should i|is there|not$|would that)\w+|\b(?:have|get|see|look at|know|tell me|hear|give|spell|"
    r"repeat|say it|take|read me) (?:me )?(?:your|the name|the number)\b|\bknow (?:about|more)\b|\bhave (?:a|an|"
    r"any|the|your) (?:\w+ )?(?:number|name|id|question|account|preference|code|address)s?\b|\blet me know\b|"
    r"\bhelp (?:you )?with\b"
)
_PROCEEDS = (
    act_pattern(
        "proceed",
        r"\b(?:would|did|do|will) you (?:still |also |now |rather |be )?(?:like|want|wish|prefer|willing|need) "
        r"(?:me|us|to|it|that|this|for me|your \w+|the \w+|them)\b",
        _NO_CONSENT
        + r"|\bto (?:know|add|share|say|tell|discuss|ask|leave|start with|describe|explain|help|provide|give)\b(?! "
        r"(?:you|this|it)\b)",
    ),
    act_pattern(
        "proceed", r"\b(?:shall|should) (?:i|we)\b(?! (?:call you$|know|expect|address|ask|list))", _NO_CONSENT
    ),
    act_pattern(
        "proceed",
        rf"\b(?:may|can|could) (?:i|we) (?:now |just |please |go ahead and |then |quickly |also )*{_DO}\b(?! "
        rf"(?:your (?:name|first|last|full|date|phone|order|account|zip|postal|number|address|e mail|email|member|"
        rf"birth|chart|matter|insurance|case)|an? (?:name|number|phone|callback)|the (?:name|number|order number|"
        rf"date of birth)|you (?:a question|some|something|to (?:spell|repeat|confirm|tell|give|provide|hold|wait|"
        rf"say)|for|what|if|how|about)|a few questions|something|if|back to|it spelled))",
        _NO_CONSENT
        + r"|\b(?:have|take|get|see|ask|put) (?:your|the|that|a|an|it|you) (?:first|last|full|phone|name|order|date|"
        r"number|account|email|address|zip|postal|card|insurance|member|id|again|question|what|to|a question|"
        r"how)\b|\b(?:have|get|ask|check|see|take) (?:your|who|the|a|an|for|what|that again|some)\b|\bcan (?:i|we) "
        r"have\b|\bget back\b|\bread (?:that|it) back\b|\bput you (?:through|on)\b",
    ),
    act_pattern(
        "proceed",
        r"\b(?:is|would|will|does|do|are|isnt|wouldnt) (?:that|this|it|you|these|those|the \w+|all of that|"
        r"everything|the \w+ \w+)(?: (?:all|be|is|sound|sounds|seem|seems|feel|look|still|also|time|day|one|1))* "
        r"(?:okay|ok|all right|alright|fine|acceptable|agreeable|good|work|works|suit|suits|agree|suitable|"
        r"convenient|do|sufficient|a problem|great|manageable|possible for you|comfortable|happy|happy with|accept|"
        r"consent|approve|workable)(?=$| (?:for|with|to|by|if|that|then|or|you|as|instead|going|using|paying|me|"
        r"moving|and|so|about)\b)",
        _WH + r"|\b(?:is (?:that|it|this) (?:correct|right)|all right now|feeling|if that is|fine now|work for (?:them|"
        r"us|the company)|in good|good condition|good number|good time to|not work|work (?:properly|at all|now)|"
        r"does it (?:still )?work|good for nothing)\b",
    ),
    act_pattern(
        "proceed",
        r"^(?:(?:and|so|okay|ok|do you) )*want (?:me|us) to\b|^(?:(?:and|so|is it) )*(?:okay|ok|all right|alright|"
        r"fine) (?:to|if|with|for) (?!you$|confirm|recap|summar|be sure|your|the|now)|\bhow (?:does|would|about) "
        r"(?!i |we |you |the (?:issue|problem))(?:\w+ ){1,6}(?:sound|work|be|suit)(?: (?:for|to) you)?$",
        _NO_CONSENT.replace("|how)", ")"),
    ),
    act_pattern(
        "proceed",
        r"\b(?:can|could) you (?:do|make|manage|come(?: in)?) (?:it )?(?:on |at )?(?:monday|tuesday|wednesday|"
        r"thursday|friday|saturday|sunday|tomorrow|\d+|the \d+\w*|next|january|february|march|april|may|june|july|"
        r"august|september|october|november|december)\b|\bhow about (?:\w+ ){0,3}(?:monday|tuesday|wednesday|"
        r"thursday|friday|saturday|sunday|tomorrow|\d+)\b",
        r"\b(?:or|when|what|which)\b",
        True,
    ),
    act_pattern(
        "proceed",
        r"^(?:(?:and|so|okay|ok) )*(?:would|does|will) (?:\w+ ){1,5}?(?:work|suit|be (?:okay|ok|all right|alright|"
        r"better|good|fine|possible|convenient))(?: (?:for|instead|better|then|with|at) .*| instead| better| "
        r"then)?$",
        _WH + r"|\b(?:it (?:still )?work|device|app|phone|headphones|charger|screen|anything|or|there)\b",
    ),
    act_pattern(
        "proceed",
        r"^(?:(?:and|so|okay|ok) )*(?:does|would|will|is) (?!it work|the (?:device|app|screen))(?:\w+ "
        r"){1,6}?(?:work|suit|be (?:okay|fine|good|all right)|okay|convenient|work out|fit)(?: (?:for|with|by))? "
        r"(?:you|your)\b",
        _WH + r"|\b(?:anything|or)\b",
    ),
    act_pattern(
        "proceed",
        r"\b(?:are you|would you be|if youre|if you are|youre)(?: \w+)? (?:okay|ok|fine|all right|alright|happy|"
        r"comfortable|willing|ready|good|sure|open)(?: (?:with|to|if|for|about|going))\b",
        _WH + r"|\b(?:speak|talk) (?:to|with)\b|\bready with (?:your|the)\b|\bready for (?:the|your|next) question\b|"
        r"\bready to (?:give|provide|read|tell)\b",
        True,
    ),
    act_pattern(
        "proceed",
        r"\b(?:is it|would it be|will it be) (?:okay|ok|all right|alright|fine|acceptable|possible)(?: with you| "
        r"for you)? (?:if|to|for|that|with)\b",
        _WH + r"|\b(?:if|to) (?:i )?(?:get|have|ask|know|speak|talk|provide|give|tell)\b",
        True,
    ),
    act_pattern(
        "proceed",
        r"\b(?:do|does|would|will) you (?:agree|consent|accept|approve|authori[sz]e|give (?:me |us )?(?:your "
        r")?(?:consent|permission|okay|ok|approval)|mind if)\b|\b(?:do|may|can|could) (?:i|we) (?:have|get|take it "
        r"i have) your (?:\w+ )?(?:consent|permission|agreement|approval|go ahead|okay|ok|authori[sz]ation|"
        r"confirmation)\b|\byour (?:explicit )?(?:consent|permission|approval|go ahead|okay)\b(?= (?:to|for|before|"
        r"first|please|that|on))",
        r"\b(?:will be|was|has been) (?:recorded|noted|filed)\b|\bdo not need\b|\bdont need\b",
    ),
    act_pattern(
        "proceed",
        r"\b(?:to|like me to|want me to|i can|me to|we|should i|can i|may i|you to) (?:proceed|go ahead|continue|"
        r"move forward|move ahead|go on)\b(?! (?:with )?(?:your|the) (?:verification|identity))",
        r"^(?:in order )?to (?:proceed|continue)|\b(?:in order to proceed|to (?:proceed|continue)(?: \w+){0,8} "
        r"(?:ill|i will|i) (?:need|require)|need (?:your|the|a|to)|cannot proceed|cant proceed|so i can|so that i "
        r"can|so we can|ill proceed|i will (?:now )?proceed|unable to|before i can|please (?:provide|give|share|"
        r"tell)|could you (?:please )?(?:provide|share|give|tell)|your (?:name|number|user|account|order|date|"
        r"birth))\b|" + _WH + r"|\b(?:i (?:will )?need|required to|necessary to)\b",
    ),
    act_pattern(
        "proceed",
        r"\bplease (?:confirm|say yes|agree|approve|let me know|tell me|indicate|reply)\b(?: \w+){0,3} (?:if|that|"
        r"whether|so|to|yes|before)(?: \w+){0,6} (?:proceed|go ahead|like|want|okay|ok|agree|wish|continue|accept|"
        r"fine|book|cancel|all right|alright|submit|works?)\b|\bconfirm (?:so (?:that )?i can|and (?:ill|i will)|"
        r"before i|to (?:proceed|go|continue|book|finalize|complete|make))\b|\b(?:say|reply|answer|respond)(?: "
        r"with| either)? (?:yes|no)\b|\byes or no\b|\bconfirm with (?:a )?yes\b|\bif (?:thats|that is|its|this is|"
        r"everything is|all of that is|that sounds|that works|you agree|you accept)(?: \w+){0,4} (?:okay|ok|all "
        r"right|alright|fine|good|agree|accept|please|ill|say|confirm)\b|\bdo (?:we|you) have a deal\b|\bdeal$",
        r"\b(?:anything|something|further|other|any questions|your (?:name|number|order|account|date|birth|zip|"
        r"phone|email|address))\b|" + _WH,
    ),
    act_pattern(
        "proceed",
        rf"(?:^|\b(?:please|kindly|(?:can|could|would) you(?: please| kindly)?|do you|you need to|ask you to|need you "
        rf"to) )(?:just )?confirm (?:your|the|this|that) (?:\w+ ){{0,2}}?{_DEED}(?! "
        rf"(?:numbers?|ids?|dates?|times?|codes?|reference|address|status|details|confirmation|method|information|info|"
        rf"is|was|amount|name|type|policy|day|reason)\b)",
        r"\b(?:what|which|when|where|who|how|if|whether|or)\b",
    ),
    act_pattern(
        "proceed",
        r"\b(?:please|can you|could you|would you|kindly|just)(?: please| kindly| just)? (?:confirm|let (?:me|us) "
        r"know|say|"
        r"tell (?:me|us)|indicate|reply|respond|answer)(?: (?:if|whether|that|with|by))*(?: (?:this|that|it|these|the "
        r"\w+|all of this|everything))?(?: (?:is|are|sounds?|works?|looks?|would be))?(?: all| still)? (?:acceptable|"
        r"agreeable|"
        r"okay|ok|all right|alright|fine|good|suitable|suits you|works?|saying yes|(?:a )?yes|your (?:consent|"
        r"agreement|"
        r"approval|acceptance|okay))\b",
        r"\b(?:name|number|code|address|yes or no question|good (?:number|time|day))\b",
    ),
    act_pattern(
        "proceed",
        r"\b(?:need|require|want|must have|waiting for|(?:give|get|have) (?:me|us)|ask for)(?: \w+)? your (?:\w+ )"
        r"?(?:confirmation|"
        r"consent|permission|approval|agreement|authori[sz]ation|okay|ok|go ahead|yes)\b(?! (?:number|code|email|id|"
        r"letter|"
        r"of|from)\b)",
        r"\b(?:dont|do not|no longer|if|which|what)\b",
    ),
    act_pattern(
        "proceed",
        r"\bconfirm(?: \w+){0,6} (?:correct|right|accurate|in order|good)(?: \w+){0,2} (?:before|so(?: that)?|and) "
        r"(?:i|we|ill|"
        r"well)\b(?: \w+){0,4} (?:proceed|go ahead|continue|book|cancel|submit|finali[sz]e|complete|place|process|"
        r"make|send|move|change|open|file)\b",
    ),
    act_pattern(
        "proceed",
        r"\b(?:sounds?|sound) (?:good|okay|ok|fine|right|all right)(?: to you| with you| for you)?$|^(?:so |and |"
        r"then |okay |ok |now )*(?:shall we|ready|agreed|deal|go ahead|proceed|yes|all good|good to go|okay with "
        r"you|ok with you|fine with you|okay|ok|all right|alright)$|\b(?:okay|ok|all right|alright|fine|good) "
        r"(?:with|by|for) you$|\b(?:okay|ok|all right|alright|agreed)$",
        r"\b(?:are you|feeling|sounds good (?:thanks|thank)|how|hear me)\b",
        True,
    ),
    act_pattern(
        "proceed",
        r"(?:^|\b(?:if|that|whether|sure|so|and|confirm) )you(?:d| would)? (?:like|want|wish) (?:me |us )?to "
        r"(?:proceed|go ahead|continue|book|cancel|make|place|go through)\b",
        _WH + r"|\b(?:or|so you(?:d| would)? (?:like|want)|you said|if you(?:d| would)? (?:like|want) to)\b",
        True,
    ),
)
WAITING = (*_HOLDS, *_WORKS, *_PROCEEDS)
