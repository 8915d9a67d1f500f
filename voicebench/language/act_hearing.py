"""Acts about what was heard: asked to repeat, nothing found, read back."""

from __future__ import annotations

from voicebench.language.act_pattern import act_pattern

__all__ = ["HEARING"]

_NOT = (
    r"(?:not|cannot|cant|couldnt|didnt|dont|doesnt|wasnt|isnt|arent|werent|havent|hasnt|wont|never|unable to|"
    r"failed to|no longer|having (?:trouble|difficulty|problems?)|hard to|difficult to)"
)
_SOFT = (
    r"(?: (?:quite|really|clearly|fully|completely|properly|entirely|seem to|able to|be able to|all of|even|yet|"
    r"just|to|been able to|have))*"
)
_AGAIN = r"(?:again|once more|once again|1 more time|one more time|a second time|1 last time|another time)"
_BY_ONES = r"(?:(?:1|one|a|single) (?:digit|number|letter) at a time|digit by digit|letter by letter|number by number)"
_BY_MYSELF = (
    r"\b(?:let me (?!hear|have)|ill|i will|i can|like me|want me|should i|shall i|(?:thank you|thanks) for|dont "
    r"need to|no need|sorry to ask|gladly|never|once you)\b"
)
"""The speaker offers to repeat, or thanks for it."""

# ---- asked to repeat --------------------------------------------------------------------------------------------

_HEAR = r"(?:catch|hear|understand|get|make out|follow|recogni[sz]e|receive|pick up|grasp|comprehend|read|take)"
_WHAT_WAS_SAID = (
    r"(?:that|you|it|this|what you(?: just| have)? (?:said|meant|mean)|what (?:that|it) was|your (?:answer|reply|"
    r"response|request|message|question|input|selection|choice)|(?:that|the) (?:message|answer|reply|response|"
    r"selection|last (?:bit|part|one|word)|first (?:bit|part)|part|end|number|input|request|word)|(?:a|any) "
    r"(?:response|reply|answer|word)|all (?:of )?(?:that|it)|everything|anything|much)"
)
_NUMBER = r"(?:number|code|id|digits?|figures?|characters?|letters?)"
_REPEATS = (
    act_pattern(
        "repeat_unnamed",
        rf"\b{_NOT}{_SOFT} {_HEAR}(?: \w+){{0,2}} {_WHAT_WAS_SAID}(?=$| (?:message|clearly|properly|right|"
        rf"correctly|very well|well|please|could|can|would|try|say|repeat|again|completely|fully|at all|lets|let "
        rf"me|sorry|1|one|just|hold|once|i|there|then|clear|just now|and|but|because|so|for (?:you|me)|mind)\b)",
        r"\b(?:why|if you|if i|get that option|i (?:do )?understand (?:that|your|how)|refund|email|payment|parcel|"
        r"package)\b",
    ),
    act_pattern(
        "repeat_unnamed",
        rf"\b{_NOT}{_SOFT} (?:understand|follow|hear|catch)(?=$| (?:please|sorry|could|can|would|try|again)\b)",
        r"\b(?:why|if you|if i)\b",
    ),
    act_pattern(
        "repeat_unnamed",
        r"\b(?:im|i am|were|we are|its|it is|thats|that is|that was)(?: (?:not|still|a (?:bit|little)|rather|really|"
        r"quite|entirely|totally|so|very|somewhat|fully|completely))* (?:unclear|confused|lost|(?:(?<=not )|(?<=not "
        r"really )|(?<=not quite )|(?<=not entirely )|(?<=not fully )|(?<=not completely )|(?<=not so )|(?<=not very )|"
        r"(?<=not totally ))(?:clear|sure|certain|following|with you))(?:$| (?:here|sorry|please)$|(?: (?:on|about|of|"
        r"as "
        r"to|by|with|that|if|whether|i|we))* (?:what (?:exactly )?you(?:re| are| were| mean| meant| just| said| want| "
        r"need| would)|(?:follow|understand|understood|got|caught|heard|get) (?:you|that|what|correctly|right|your)))",
        r"\b(?:clear|sure)(?: \w+){0,2} (?:if|whether) (?:we|it|the|they|there|he|she|that (?:is|can|will))\b",
    ),
    act_pattern(
        "repeat_unnamed",
        r"^(?:(?:sorry|im|hm|hmm|um|oh) )*not (?:quite |really )?sure (?:that )?i (?:\w+ )?(?:got|caught|heard|"
        r"understood|get|"
        r"follow)\b|\b(?:you(?:ve| have)? lost me|i(?: am| m|m) not following(?: you)?|i (?:dont|do not) follow(?: "
        r"you)?)\b",
        r"\bif\b",
    ),
    act_pattern(
        "repeat_unnamed",
        rf"\b{_NOT}(?: \w+){{0,2}} (?:catching|hearing|understanding|getting|making out|following|recogni[sz]ing|"
        rf"making sense)(?: of)? (?:you|that|it|all|what)\b",
    ),
    act_pattern(
        "repeat_unnamed",
        rf"\b(?:say|repeat|spell|read|give|tell|state|provide|run|go over|type|enter|rephrase|phrase|put|share|try|"
        rf"ask|read out)(?: (?:me|us|it|that|this|them|those|what you (?:just )?said|the question|your answer|your "
        rf"question|the last (?:part|bit|one)|the (?:first|second) (?:part|half)|by|out|back|please|just|for me|to "
        rf"me|for us|to us|all|everything))* (?:{_AGAIN}|more slowly|more clearly|slowly|slower|louder|differently|"
        rf"in (?:other|different) words|(?:in )?(?:another|a different) way|1 by 1|one by one|(?:1|one|a) (?:digit|"
        rf"number|letter) at a time|digit by digit|letter by letter)\b",
        _BY_MYSELF + r"|\b(?:call again|try again to|not (?:say|repeat)|to avoid)\b|\bi(?:m| am) (?:trying|going)\b",
    ),
    act_pattern(
        "repeat_unnamed",
        r"\b(?:repeat|rephrase|reword|restate|clarify|spell)(?: (?:that|it|this|them|yourself|what you(?: just| "
        r"have)? (?:said|say|meant)|your (?:answer|question|request|response|message)|the (?:question|last (?:part|"
        r"bit)|end|whole thing|spelling)))|(?:could|can|would|will) you(?: please| kindly)? (?:repeat|rephrase|"
        r"clarify|spell)(?: please)?$|^(?:please )?(?:repeat|rephrase|clarify)(?: please)?$",
        _BY_MYSELF,
    ),
    act_pattern(
        "repeat_unnamed",
        r"\bmind (?:repeating|rephrasing|spelling|clarifying)(?: (?:that|it|this|them|yourself|what you(?: just)? said"
        r"|the last (?:part|bit)))?\b(?! (?:number|name|address|code|date))|\bmind (?:saying|reading|giving|telling)"
        rf"(?: (?:me|us|that|it|this|to me))* {_AGAIN}\b"
        rf"|\blet (?:me|us) (?:get|have|hear|take) (?:that|it|this|them|those) {_AGAIN}",
    ),
    act_pattern(
        "repeat_unnamed",
        r"^(?:(?:im |i am |so |very |oh |um |uh |okay |ok )*sorry|(?:i )?beg your pardon|pardon(?: me)?|excuse me|"
        r"what|huh|hm+|come again|eh)(?: (?:what|please|again|come again|sorry|huh|could you|1 more time|say again|"
        r"what was that))*$",
        question=True,
    ),
    act_pattern(
        "repeat_unnamed",
        r"^(?:(?:oh|sorry|uh|um|and|okay|ok|im) )*(?:i )?(?:beg your pardon|pardon(?: me)?|come again|say what|say "
        r"again|sorry what|sorry come again|sorry again)(?: (?:please|a (?:bit|little)|slower|slowly|louder))*$",
    ),
    act_pattern(
        "repeat_unnamed",
        rf"^(?:(?:sorry|and|please|okay|ok|could you|can you|would you|lets|just|a bit|bit|a little|a touch|that) "
        rf")*(?:{_AGAIN}|slowly|slower|more slowly|louder|speak up|speak (?:louder|slower|slowly|more slowly|more "
        rf"clearly)|slow down|not so fast|spell (?:that|it)|in other words|from the (?:top|start|beginning)|{_BY_ONES})"
        rf"(?: (?:please|for me|a (?:bit|little)|if you (?:can|could|would|dont mind)|sorry|slowly|slower|louder|more "
        rf"slowly|from the (?:top|start|beginning)|{_BY_ONES}))*$",
    ),
    act_pattern(  # "the year again?", "mind reading those digits off again?", "could you repeat the number part?"
        "repeat_unnamed",
        rf"^(?:(?:sorry|and|okay|ok|can|could|would|you|say|please|just) )*(?:the|that|those) (?:year|day|numbers|"
        rf"{_NUMBER}|letters?|spelling|(?:first|last|middle) (?:part|bit|ones?|few)) {_AGAIN}(?: please)?$|"
        rf"\bmind (?:reading|saying|giving|spelling) (?:the|those|these) (?:numbers|{_NUMBER})(?: (?:off|out|back|"
        rf"to me|for me))* {_AGAIN}|\brepeat (?:the|that) (?:{_NUMBER}|first|last|middle|second) (?:part|bit|half)\b|"
        r"\b(?:in|with|using) (?:the )?(?:nato|phonetic|spelling) alphabet\b|\bphonetically\b|"
        rf"\b(?:go|hear (?:that|it)) {_BY_ONES}|\b(?:that|it|this) (?:only|just) (?:has|had|makes|gives)(?: me| us)? "
        rf"\w+ {_NUMBER}\b|\bneither(?: of (?:them|those|these))? (?:matches|works|fits|is right|is valid)\b",
        _BY_MYSELF,
    ),
    act_pattern(  # spelling it answers these
        "repeat_unnamed",
        r"^(?:(?:so|and|is|that|it|sorry|okay|ok) )*(?:\w+ ){0,2}(?:\w )+as in \w+(?: \w+)?$|"
        r"^(?:(?:so|and|is|thats|that|it) )*\w+ with (?:an? |1 |one |2 |two )\w$",
        question=True,
    ),
    act_pattern(
        "repeat_unnamed",
        r"\bwhat (?:was|is|did you say)(?: (?:that|it|this))?(?: (?:again|once more|please|just now|1 more "
        r"time))*$|\bwhat did you (?:just )?(?:say|mean)\b|\bwhat do you mean\b|\b(?:sorry|again) (?:you|you were) "
        r"(?:said|saying|say)\b",
        r"\bwhat is (?:that|it|this)$|\b(?:he|she|they) sa(?:id|y)\b",
    ),
    act_pattern(
        "repeat_unnamed",
        r"\b(?:i )?(?:missed|misheard|lost) (?:that|you|it|what you said|the (?:last|first|end|rest|middle|"
        r"beginning)|part|some|a (?:bit|part|digit|number|word)|your (?:answer|last))\b",
        r"\b(?:if|have i|did i|we missed)\b",
    ),
    act_pattern(
        "repeat_unnamed",
        r"\b(?:you|that|it|your voice|the (?:call|line|connection|sound|audio|last part|end|beginning|rest))(?:re| "
        r"are| is| was| were| got| just| has| have| keeps?| kept| been| c[ao]me(?: through| out| across))* "
        r"(?:cut(?:ting)? (?:off|out)|br(?:eaking|"
        r"oke|eaks?|oken) up|garbled|dropped out|dropping out|fad(?:ed|ing)(?: out)?|muffled|too (?:quiet|fast|low|"
        r"soft)|very (?:quiet|faint|fast)|hard to (?:hear|understand)|unclear|not (?:clear|audible|very clear)|"
        r"went (?:silent|quiet)|choppy|noisy)\b",
        r"\b(?:if|when|case) (?:we|you|the (?:call|line))\b|\binstructions\b",
    ),
    act_pattern(
        "repeat_unnamed",
        r"\b(?:bad|poor|terrible|noisy) (?:line|connection|reception)\b|\b(?:line|connection) is (?:bad|poor|"
        r"terrible|not good|noisy)\b",
    ),
    act_pattern(
        "repeat_unnamed",
        r"\b(?:lets|please|you|can|and|kindly)(?: \w+){0,2} try (?:that |it |this )?(?:again|once more|1 more time|"
        r"one more time|differently)\b|^(?:please )?try (?:that )?again",
        _BY_MYSELF + r"|\b(?:later|tomorrow|card)\b",
    ),
    act_pattern(
        "repeat_unnamed",
        rf"\b(?:that|it|the|your|this)(?: {_NUMBER})?(?: you (?:gave|said|read)(?: me)?)? (?:number |code "
        rf")?(?:seems?|looks?|sounds?|is|appears?|was|seemed|looked|sounded)(?: to be| like| its| a bit| a little| "
        rf"too| somewhat| (?:1|one|2|two|a|\w+) (?:{_NUMBER}))* (?:short|too long|incomplete|cut off|missing (?:a|"
        rf"1|one|some|2|two|something)(?: \w+)?|not complete|not right|invalid|not valid|(?:only )?(?:part|half) "
        rf"of (?:it|a number|the number))\b",
        r"\b(?:order is|device|day off|item|wrong with|short (?:wait|time|while))\b",
    ),
    act_pattern(
        "repeat_unnamed",
        rf"\b(?:not|isnt|doesnt|wasnt) (?:\w+ ){{0,4}}(?:valid|complete|right|full|proper|correct|whole|"
        rf"existing) {_NUMBER}\b|\binvalid {_NUMBER}\b",
    ),
    act_pattern(
        "repeat_unnamed",
        rf"\b(?:i|we) (?:(?:only|just) (?:got|have|heard|caught|see|count|counted|hear|received)|(?:got|heard|"
        rf"caught) only)(?: \w+){{0,3}} (?:\d+|1|one|two|three|four|five|six|seven|eight|nine|ten|some|part|half|"
        rf"the (?:first|last|beginning|end))\b(?: {_NUMBER})?|\b(?:thats|that is|that was|its|i count|there are|"
        rf"that makes) only \w+ {_NUMBER}\b|\bonly \w+ {_NUMBER}\b|\b(?:missing|need|short|lack\w*) (?:a|1|one|"
        rf"another|some|the last|two|2|a few|1 more|one more)(?: more)? (?:{_NUMBER})\b|\b{_NUMBER} (?:(?:is|are|"
        rf"seems? to be) )?missing\b",
        r"\b(?:slots?|minutes|hours|appointments?|openings?|left|times?|available|dollars)\b|\bonly need\b|\bonly "
        r"the last\b",
    ),
    act_pattern(
        "repeat_unnamed",
        rf"\b(?:check|double check|recheck|verify|confirm|look at|go over) (?:the|that|your|it|this)(?: "
        rf"\w+)?(?: {_NUMBER}| spelling)? (?:{_AGAIN}|for me and)\b|\b(?:could|can|would|please|to)(?: you)?(?: "
        rf"please| kindly)? (?:double check|recheck|check)(?: the| that| your| it| this)(?: (?:{_NUMBER}|spelling|"
        rf"details|information))?(?: (?:please|again|for me|and try again|once more))*$",
        _BY_MYSELF,
    ),
    act_pattern(
        "repeat_unnamed",
        r"\b(?:was|is) (?:that|it) (?:an? )?(?:\w+|\w+ as in \w+) or (?:an? )?\w+(?: as in \w+)?$",
        r"\b(?:work|home|business|new|used|opened|checking|savings|today|tomorrow|morning|afternoon|am|pm|urgent|"
        r"you|yes|no|not|covered|monday|tuesday|wednesday|thursday|friday)\b",
        True,
    ),
    act_pattern(
        "repeat_unnamed",
        r"\b(?:can you|could you|please|would you)(?: please)? (?:speak|talk|say it|say that)(?: up| a (?:bit|"
        r"little))* ?(?:louder|slower|slowly|clearly|up|more slowly|more clearly|closer)\b",
    ),
    act_pattern(
        "repeat_unnamed",
        r"\b(?:say|tell me) (?:that|it) (?:again|more|slower)\b|\bhow (?:do you|is that|was that|is it) (?:spell|"
        r"spelled|spelt)\b|\b(?:how|what) (?:was|is|were) (?:the|that|those) (?:spelling|end|(?:last|first|middle|"
        r"next|other) (?:part|bit|digits?|numbers?|letters?|ones?|word|few|two|three|2|3|4))\b|\b(?:go|say (?:that|"
        r"it)|talk|speak|take it)(?: just)? a (?:bit|little)(?: bit)? (?:slower|more slowly|louder)\b",
        _BY_MYSELF,
    ),
)

# ---- nothing found ----------------------------------------------------------------------------------------------

_RECORD = (
    r"(?:accounts?|orders?|records?|profiles?|reservations?|bookings?|customers?|members?|memberships?|files?|"
    r"charts?|matters?|cases?|patients?|clients?|polic(?:y|ies)|info|information|details|numbers?|names?|"
    r"purchases?|match|matches|entry|entries|results?|tickets?|claims?|registrations?|you|it|that|them|him|her|"
    r"anyone|anybody|anything|users?|subscribers?|callers?|one|1)"
)
_KEPT_RECORD = (
    r"(?:account|order|record|profile|reservation|booking|customer|member|membership|file|chart|matter|case|"
    r"patient|client|user|subscriber|policy|match|such|one|1|body|entry|registration|claim|ticket)s?"
)
_GAP_TO_RECORD = (
    r"(?: (?!(?:flights?|answer|rooms?|openings?|slots?|times?|restaurants?|movies?|available|availability|tables?|"
    r"appointments?(?! record)|hotels?|rides?|else|wrong|reason|way|solution|option|doctors?|if|why|how|where|"
    r"problem|fault|issue|cheaper|better|dates?|days?)\b)\w+){0,4}?"
)
_NO_RECORD = (
    r"\b(?:flights?|answer|rooms?|openings?|slots?|restaurants?|movies?|available|availability|tables?|"
    r"appointments?|if|hotels?|rides?|reason|way|solution|option|problem|fault|issue|without|until|unless|cheaper|"
    r"better|dates?|days?|changes?|fees?|charges?)\b"
)
_NOT_FOUND = (
    act_pattern(
        "not_found",
        rf"\b{_NOT}{_SOFT}(?: to)? (?:find|locate|see|pull up|bring up|match|identify|look up|retrieve|finding|"
        rf"seeing|locating|come up with|trace|get|recogni[sz]e|show|have){_GAP_TO_RECORD} {_RECORD}\b(?=$| "
        rf"(?:under|with|for|in|by|on|that|matching|associated|from|like|here|at|please|could|can|would|to|as|and|"
        rf"of|anywhere|yet|number|name|id|using|you)\b)",
        r"\b(?:if|when|unless|in case) (?:i|we|it|you|the system)\b(?: \w+){0,2}? (?:cannot|cant|dont|do not|are "
        r"unable)\b|\b(?:without|until|why|anything (?:else|wrong))\b|\b(?:you (?:cant|cannot|dont|couldnt|do not)|"
        r"did you|get (?:that|it|you|her|him)|have (?:that|it|one|you|your|to)|see (?:that|it) (?:being|happening)|"
        r"need|get (?:the|your) (?:number|name)|dont have (?:the|any) (?:information|details|info)|have (?:it|that|"
        r"the|your) (?:with|in front|handy|at hand))\b",
    ),
    act_pattern(
        "not_found",
        rf"^(?:(?:sorry|im|i am|unfortunately|hmm|hm|and|but|so) )*{_NOT}{_SOFT} (?:find|locate|see|pull up|bring "
        rf"up)(?: \w+){{0,5}} {_RECORD}$",
        _NO_RECORD + r"|\b(?:dont see (?:that|it)|you)\b",
    ),
    act_pattern(
        "not_found",
        rf"\b(?:there is|theres|there are|there was|i have|ive got|weve got|i see|we have|i found|i find|i show|"
        rf"were showing|im showing|im seeing|it shows|found|shows?|see) no(?: \w+){{0,3}} {_KEPT_RECORD}\b",
        _NO_RECORD,
    ),
    act_pattern(
        "not_found",
        r"\bno (?:(?:matching|such) (?:account|order|record|customer|member|number|patient|client|profile|booking|"
        r"reservation)|record of|records? (?:found|under|for|with)|account (?:found|under|with)|match(?:es)? "
        r"(?:found|for|in|under)|results? (?:found|for|under)|one (?:by|with|under) (?:that|this) (?:name|"
        r"number))\b|^(?:sorry )?no (?:match|record|luck)(?:es|s)?(?: \w+){0,3}$",
        _NO_RECORD,
    ),
    act_pattern(
        "not_found",
        r"\bnothing(?: (?:is|comes?|came|coming|shows?|showing|showed|found|was|appears?|turns?|turned|at all|here|"
        r"really|under|for|with|that|this|your|the|name|number))+$|\bnothing (?:under|comes up|came up|is coming "
        r"up|shows up|turned up|found)\b",
    ),
    act_pattern(
        "not_found",
        rf"\b(?:number|account|order|id|name|its?|thats?|youre|code|record|booking|reservation|you|profile|birth|"
        rf"address|postcode|zip|details|information|email)(?: (?:you|gave|me|provided|entered|has|have|been|is|are|"
        rf"still|also|just|and|the|postal|zip|code))* {_NOT}{_SOFT}(?: be)? (?:in (?:our|the|my) (?:system|"
        rf"records?|database|files|books)|on (?:file|record|our)|exist|come up|coming up|show up|showing|showing "
        rf"up|match|matching|found|recogni[sz]ed|agree|registered|listed|pulling up|bring anything|fit|"
        rf"correspond)\b",
        r"\b(?:if|flight|device|headphones|how|website|time|day|show you)\b",
    ),
    act_pattern(
        "not_found",
        rf"\b{_NOT}{_SOFT} (?:verify|authenticate|confirm|validate|identify|access|get into|open|retrieve|get)(?: "
        rf"\w+){{0,4}} (?:with (?:the|that|this|what)|based on|using|from (?:the|that|this)|in (?:my|our|the) "
        rf"system|by that|under that)\b",
        r"\b(?:without|until|unless|if|refund|reservation cannot)\b",
    ),
    act_pattern(
        "not_found",
        r"\b(?:doesnt|didnt|dont|does not|did not|do not|isnt|arent|not|wont) (?:quite |really |seem to |appear to |be "
        r")?(?:match|matching|matched|agree with|correspond|(?:go|fit|belong|fitting|going) together|add up|line up|"
        r"tally)\b|"
        r"\bmismatch\b",
        r"\bif\b|\bprice\b",
    ),
)

# ---- read back --------------------------------------------------------------------------------------------------

_READS = (
    act_pattern(
        "read_back",
        r"\b(?:is|was|are|were|does|do|did|have|had) (?:that|this|it|these|those|i|the \w+|all of that|everything|"
        r"all that|we|all|which)(?: (?:all|is|information|info|details|get|got|have|hear|heard|understand|look|"
        r"looks|sound|sounds|read|it|that|this|you|number|spelling|take|down|spell|spelled|note))* (?:correct|"
        r"right|correctly|accurate)(?=$| (?:now|so far|for|dana|sir|maam|madam|mister|miss|please|or|and|then|"
        r"thank|thanks)\b)",
        r"\b(?:right (?:now|away|person|time|number for|department|size)|all right)\b",
    ),
    act_pattern(
        "read_back",
        r"(?<!all )(?<!^)\b(?:correct|right|is it|isnt it|isnt that right|yes|yeah|is that so|am i right|am i "
        r"correct|did i get that|do i have that)$",
        r"^(?:(?:okay|ok|and|so) )*(?:is|are|was|were|what|which|how|who|when|where|do you|can you|could|may|would|"
        r"shall|should|did you)\b(?!.*\b(?:correct|right)$)|\ball right$|\b(?:anything|something) else|^(?:right|"
        r"yes|correct|yeah)$|\ball set\b",
        True,
    ),
    act_pattern(
        "read_back",
        r"\b(?:i|we) have you (?:down )?(?:as|under|for)\b|^(?:(?:so|okay|ok|and|thats) )*(?:(?:[a-z] ){2,}[a-z]|"
        r"\d{3,})$",
        r"\b(?:what|which|shall|would you|or)\b",
    ),
    act_pattern(
        "read_back",
        r"\w+ \w+ \w+ (?:correct|right)$",
        r"\b(?:thats|that is|its|it is|is|are|be|not|all|youre|looks?|sounds?|do|make (?:it|that|this)|absolutely|"
        r"entirely|you were|was) (?:correct|right)$|\bif\b",
    ),
    act_pattern(
        "read_back",
        r"\b(?:just |let me |to |ill |i will |id like to |allow me to |lets |let us |i want to |and )+(?:just "
        r")?(?:confirm|recap|summari[sz]e|double check|be sure|make sure|clarify|read (?:that|it|this) back|repeat "
        r"(?:that|it|this|your|back|the)|verify)\b(?! (?:your (?:identity|account|order|booking|name|date|phone|"
        r"email|address|zip|postal|card|details|information|reservation|appointment|member)(?! (?:is|as|number "
        r"is))|with|it (?:is|s) really|the (?:availability|booking time|order|details|status)\b(?!.*(?:correct|"
        r"right))|who|if (?:the|there|we|that)|you are (?:the|who)|that for you|whether|everything|availability|my|"
        r"our))(?: \w+)+",
        r"\b(?:i (?:will )?need|can you|could you|would you|please|may i|may we|system|once|in order to|"
        r"availability|for security|so i can|so that|with (?:a|my|our|the) (?:policy|manager|team|doctor|colleague|"
        r"\w+ expert)|for a \w+|check with|for you (?:now|today)|id need|booking time|cant|cannot|unable|what|"
        r"which|how|whether we|if we|it falls|my calendar|before i|someone|somebody)\b",
    ),
    act_pattern(
        "read_back",
        r"(?:^|\b(?:so|that|confirm|correct|understand|hear|confirming) )(?:(?:so|and|okay|ok|great|perfect|"
        r"alright|got it|yes|thanks|all right|now|i see|right|then|for) )*(?:you(?:re| are)? (?:said|want|wanted|"
        r"wish|mean|meant|told me|need|spelled|mentioned|looking for|would like|prefer|calling from|born)|youd "
        r"(?:like|prefer|rather))\b(?!.*\b(?:anything|something else|if you (?:want|need))\b)",
        r"\b(?:what|which|who|how|when|where|why|do you|would you|did you|could you|can you|may i|should i|shall i|"
        r"if you|let me know|help|whatever|as you|before you|once you|need any|would that|confirm if|need (?:it|to|"
        r"me|a moment)|anything|in case|because you|the way you)\b|\b(?:i (?:can|will)|ill|let me|im) \w+|\byou "
        r"(?:need|want|are asked|asked) to (?:call|bring|pay|return|show|contact|be|wait|go)\b|\byou(?:re| are) "
        r"(?:all|very|eligible|covered|on)\b",
    ),
    act_pattern(
        "read_back",
        r"\b(?:i have|i got|ive got|i heard|i see|its|thats|that is|it is|i show|i read|i wrote|i noted|i have you|"
        r"i understood|so thats|was that|is that|is it|ending in|ends in|ending with|that was)(?: \w+){0,6} "
        r"(?:\d[\d ]*|(?:[a-z] ){2,}[a-z]|(?:january|february|march|april|may|june|july|august|september|october|"
        r"november|december) \d+)\b(?: \w+){0,3}$",
        r"\b(?:or|dollars|what|which|days?|minutes|hours|would you|do you|shall|should|can you|could you|may i|\d+ "
        r"(?:am|pm)|available|openings?|free|work for|okay|all right)\b",
        True,
    ),
    act_pattern(
        "read_back",
        r"\b(?:can|could|would|please|do|will|may) (?:you|i)?(?: please| kindly| just)? ?confirm(?: for me)? "
        r"(?:that|your|the|its|it is|it)(?: \w+){1,8} (?:is|are|as|was|to be|want|wanted|like|wish) (?!for\b)\w+|"
        r"^(?:please )?confirm (?:that|the)\b(?: \w+)+\b",
        r"\b(?:if you|your (?:identity|account|order number|name|date of birth|zip|postal|phone|card|email|"
        r"address)(?! is\b| as\b)|what|which|would like me to|to proceed|go ahead|who you|order number(?! is| as)|"
        r"on the account|on file|whether|reservation you)\b",
    ),
    act_pattern(
        "read_back",
        r"^(?:is|was) (?!that\b|this (?:a|an|the (?:first|right))|it\b|there|your (?:device|order|issue)|"
        r"everything|anything|anyone|anybody)(?:\w+ ){1,4}(?:your|the) (?:\w+ ){0,2}(?:name|number|address|email|"
        r"code|date|birthday|last name|order)(?: (?:on|for|you|of) .*)?$|^is (?:this|that) (?:the|your|still your) "
        r"(?:\w+ ){0,3}(?:number|name|address|email|account|order|code|one)\b(?! correct)",
        r"\b(?:what|which)\b",
        True,
    ),
)
HEARING = (*_REPEATS, *_NOT_FOUND, *_READS)
