"""Acts that open and close a call: offers of help, goodbyes, and what was done, refused, offered or costs."""

from __future__ import annotations

from voicebench.language.act_pattern import act_pattern

__all__ = ["CLOSING"]

# ---- help -------------------------------------------------------------------------------------------------------

_NOT_ELSE = (
    r"\b(?:nothing|anything else (?:wrong|broken|damaged|happen\w*|missing|about (?:it|the|your|what)|that "
    r"happened|unusual|you (?:remember|noticed|recall|saw|can tell|could tell|know|did|think)|on (?:the|that) "
    r"(?:device|line|list|receipt)|suspicious|hurt\w*|bother\w*|in the (?:box|message|text))|(?:did|has|was|were) "
    r"anything else|did (?:he|she|they|it)|(?:cannot|cant|unable to|not able to|not) (?:\w+ ){0,3}anything else|"
    r"before (?:we|i) do anything else)\b"
)
_MORE_FROM_CALLER = (
    r"\b(?:any|some|(?<!assist you with )(?<!help you with )another|one)(?: (?:other|further|more|additional|extra|"
    r"new))? (?:\w+ )?(?:details?|information|info|identif\w+|"
    r"documents?|documentation|proofs?|numbers?|data|evidence|records?|names?|particulars|specifics|photos?|"
    r"receipts?|address(?:es)?|contacts?)\b"
)
"""More that the caller may have to tell: "if you have any other details" asks for these."""
_WHAT_I_DO = (
    r"(?<!how )(?<!what )(?<!what else )(?<!else )\b(?:(?:i|we)(?: (?:can|could|will|would|may|shall)|ll)|ill|well|"
    r"and|to|who can|"
    r"glad to|happy to)(?: (?:then|gladly|also|be (?:able|happy|glad) to|continue to|certainly|try to|better))* "
    r"(?:help|assist|serve|support)"
    r"(?: you)?(?: any)? (?:further|more|better)\b"
)
"""What the speaker will do after something else: "… and I'll assist you further"."""
_ANYTHING = (
    act_pattern(
        "anything_else",
        r"\b(?:anything|something|some|any|what|whatever|any thing|some thing|thing)(?: other thing)? ?else\b",
        _NOT_ELSE + r"|\b(?:something else (?:instead|happened|entirely)|what else (?:happened|did|was|is wrong|do you "
        r"remember|can you tell))\b",
    ),
    act_pattern(
        "anything_else",
        r"\b(?:(?:any|have|with|about|some)(?: \w+)? (?:other|further|additional|more)|another) (?:questions?|"
        r"concerns?|matters?|requests?|issues?|things?|needs?|problems?|inquir(?:y|ies)|help|assistance|business|"
        r"topics?|services?)\b",
        _MORE_FROM_CALLER
        + r"|\b(?:not be of|(?:couldnt|could not) (?:be of|help|assist)|for (?:any )?(?:other|further|more) "
        r"(?:questions|information|details)|no other|not have any|(?:cannot|cant|unable) |what other|any other "
        r"(?:number|way to|phone|name|day|proof|information you|details))\b",
    ),
    act_pattern(
        "anything_else",
        r"\b(?:need|want|require|like|can i (?:be of|offer|provide|give)|any|be of|of)(?: \w+){0,2} (?:further|"
        r"more|additional|other|extra) (?:assistance|help|support|questions?|service|information|orders?)\b|"
        r"\b(?:help|assist|do for|serve)(?: \w+){0,1} (?:you )?(?:further|any further|any more|some more|on any "
        r"other|in any other|with any other|on another|with another)\b",
        _MORE_FROM_CALLER
        + "|"
        + _WHAT_I_DO
        + r"|\b(?:who (?:can|may|will|could)|that (?:can|may|will)|not be of|couldnt|could not|cannot|cant|unable|not "
        r"able|wont|need more (?:info|time|detail)|some more information|more information (?:about|on|to|from|"
        r"before)|give me (?:some )?more|some more (?:info|details)|no further|id need|i(?:ll| will)? need|(?:so|"
        r"before|and) (?:that )?(?:i|we) can (?:help|assist)|once you|(?<!know how i )(?<!know how we )can assist you "
        r"further|"
        r"to (?:help|assist) "
        r"you further)\b",
    ),
    act_pattern(
        "anything_else",
        r"\b(?:is|was|will|would|does) (?:that|this|it)(?: be| is| was)? (?:it|all|everything|complete\w*)\b(?=$| "
        r"(?:for|today|i|you|then|or|your|that|we|the)\b)|\bthat(?:s| is| will be| ll be|ll be| be) (?:it|all|"
        r"everything)(?: (?:for|today|then|or|i|you|we|that).*)?$|\b(?:will|does) (?:that|this) (?:complete|"
        r"conclude|cover|take care of)\b|\bare we (?:all )?(?:done|set|good|finished)\b|\b(?:all|good) (?:set|done|"
        r"taken care of|good)(?: then| now| for today)?$|\b(?:any|some)thing (?:you (?:want|need|would like)|to add|"
        r"further|"
        r"more|besides|beyond)\b(?! to (?:pay|bring|prepare))",
        r"\b(?:is (?:that|it) all (?:right|of)\b|thats (?:it|all) (?:i|we) (?:have|need from)|is that everything "
        r"(?:you|that) (?:lost|happened|was)|thats everything i need|more (?:to|about) (?:the|that))\b",
        True,
    ),
    act_pattern(
        "anything_else",
        r"\b(?:more|else|further) (?:i|we) (?:can|could|may) (?:do|help|assist)\b|\bdo (?:anything|something) "
        r"more\b|\bbefore (?:you|we) (?:go|hang up|finish|end|let you go)\b(?=.*(?:any|some|need|have))|\bwhat "
        r"(?:else|more) (?:can|could|may) (?:i|we)\b|\bhow else (?:can|may|could) (?:i|we)\b|\banything you "
        r"(?:want|need|would like) (?:beyond|besides|on top of|in addition)\b",
        _NOT_ELSE,
    ),
    act_pattern(
        "anything_else",
        r"\b(?:if|should) (?:there(?:s| is| are| should be)?|you(?: do|d| would| still| ever| should)?(?: have| "
        r"need| want| think of| require| like)?)(?: \w+){0,2} (?:anything|any (?:other|more|further|questions?|"
        r"concerns?)|other questions|more questions|further (?:help|assistance|questions)|more (?:help|assistance)|"
        r"something)\b",
        _NOT_ELSE
        + "|"
        + _MORE_FROM_CALLER
        + r"|\b(?:any questions (?:about|on|regarding) (?:the|this|that)|anything (?:unusual|wrong|changes|"
        r"happens))\b",
        False,
    ),
)
_HELP = (
    act_pattern(
        "what_help",
        r"\bhow (?:can|may|could|might|shall|should|do|would) (?:i|we)(?: best| be able to| possibly)? (?:help|"
        r"assist|be of (?:help|service|assistance)|serve|support|direct your call)\b",
        r"\b(?:else|further|additionally)\b",
    ),
    act_pattern(
        "what_help",
        r"\bwhat (?:can|may|could|should|shall|do you need|would you like|do you want) (?:i|we|me|us)(?: to)? "
        r"(?:do|help|assist|get|be)\b|\bwhat(?: is it(?: that)?)? (?:do|would|can|may) you (?:need|want|"
        r"require)? ?(?:help|assistance|support)\b|\bwhat (?:can|may|could) i (?:help|assist) you\b|\bwhat do you "
        r"(?:need|want|require)(?: (?:today|from (?:me|us)|help with|assistance with|me to do|us to do))*$|\bwhat "
        r"would you like(?: (?:to (?:do|talk about|discuss|ask)|help with|today|me to do|from us|me to help you "
        r"with|assistance with|us to do|for today))*$",
        r"\b(?:else|further)\b",
    ),
    act_pattern(
        "what_help",
        r"\bwhat(?:s| is| are| was)? (?:brings? you|made you call|bringing you|(?:the )?(?:reason|purpose|nature|"
        r"subject|topic) (?:of|for|behind) (?:your|the|this) (?:call|visit|inquiry)|(?:this|it|your call|the call|"
        r"your question|that) (?:about|regarding|in regards? to|concerning|for today|is about)|(?:you )?calling "
        r"(?:about|for|regarding)|you calling|are you calling|your call (?:is )?about|your (?:question|concern|"
        r"request|inquiry|matter(?! number)|reason for calling))\b|\bwhy (?:are you|youre|did you) call(?:ing)?\b|"
        r"\bwhat (?:can i help|are you (?:after|hoping for|looking (?:for|to do))|is your call|your call is|youre "
        r"calling|you are "
        r"calling|the call is)\b|\b(?:reason|purpose|nature) (?:for|of) (?:your|the|this) (?:call|visit today)\b|"
        r"\b(?:tell me|say|let me know|describe|explain)(?: (?:me|us|in|a|few|words|briefly|please|just|you|can|so|"
        r"i|know|more|about))* (?:what (?:you need|youre calling|you are calling|i can (?:do|help)|brings|its "
        r"about|this is about|you would like|youd like|you want|your call|it is about|we can do)|how (?:i|we) "
        r"(?:can|may)|why (?:youre|you are|you) call)\b|\b(?:reason|what) (?:youre|you are) calling\b",
        r"\b(?:else|further)\b",
    ),
    act_pattern(
        "what_help",
        r"\b(?:clarify|specify|explain|tell (?:me|us)|(?:let (?:me|us)|like to|want to|need to|may i|can i|to) know|"
        r"say|state|describe|share)(?: (?:exactly|briefly|please|again|a bit more|a little more|more|about|just|me|us|"
        r"with))* what(?: exactly)?(?: it is(?: that)?| is it)? (?:you(?:d|re| would| are| were|ve been| do)?|youre) "
        r"(?:exactly |actually )?(?:need(?:ing)?|want|require|like|looking for|after|trying to (?:do|get|achieve|"
        r"arrange)|"
        r"hoping (?:for|to \w+)|wanting)(?: (?:me to do|us to do|from (?:me|us)|help with|to (?:do|get done|have done|"
        r"achieve|arrange|happen)|today|done|help|now|please|exactly|for you|here|so (?:that )?i can \w+.*))*$|"
        r"\b(?:(?:let (?:me|us)|like to|want to|need to|may i|can i) know|tell (?:me|us)|give (?:me|us)|share|state|"
        r"describe|explain|enter|say)(?: (?:more|a (?:bit|little) more|please|about|me|us|with|in a few words|briefly)"
        r")* "
        r"(?:what )?your (?:request|query|enquiry|inquiry|needs?|wish(?:es)?)\b(?! (?:number|id|date|code)\b)",
        r"\b(?:else|further|once you|if you|after you|when you)\b",
    ),
    act_pattern(
        "what_help",
        r"\b(?:can|may|could) (?:i|we) (?:help|assist|be of (?:help|service|assistance)|do something for)(?: "
        r"you)?(?: (?:with (?:something|anything|that|your \w+|a \w+|an \w+)|today|now|in any way|out|at all|this "
        r"(?:morning|afternoon|evening)|sir|maam|madam|there|right now|somehow))*$|\b(?:do|did) you (?:need|want|"
        r"require)(?: any| some)? (?:help|assistance|support)\b|\b(?:need|want) (?:help|assistance) with "
        r"(?:something|anything)\b|\b(?:anything|something) (?:i|we) can (?:do|help)(?: you)?(?: (?:for|with|you|"
        r"today))*$",
        r"\b(?:else|further|more|additional|other|can i help you (?:verify|find)|choos\w+|filling)\b",
        True,
    ),
)

# ---- the rest ---------------------------------------------------------------------------------------------------

_NICE = (
    r"(?:wonderful|great|good|nice|lovely|fantastic|pleasant|beautiful|amazing|blessed|safe|fine|awesome|terrific|"
    r"restful|enjoyable|excellent|super|relaxing|happy|rest of|better)"
)
_ENDS = (
    act_pattern(
        "goodbye",
        rf"\b(?:good ?bye|bye|bye bye|farewell|see you|see ya|talk to you (?:soon|later)|so long|take care(?! of)|"
        rf"until next time|cheers)\b|\b(?:have|having) (?:yourself )?(?:a|an|the|yourself a)(?: "
        rf"\w+){{0,2}}? ?{_NICE}\b|\benjoy (?:your|the|a)\b|\bhave a (?:\w+ ){{0,3}}(?:day|night|evening|weekend|"
        rf"afternoon|morning|trip|flight|stay|one|week)\b|\b(?:thank you|thanks)(?: again| so much| very much)? "
        rf"for (?:calling|choosing|contacting|using|reaching|being (?:a|our)|shopping|visiting|your (?:call|"
        rf"business|time|loyalty)|staying with|flying|banking|trusting|stopping)\b|\b(?:thank you|thanks|good "
        rf"night|goodnight)(?: and)? (?:bye|goodbye|good night|goodnight)\b|^good ?night$|\bgood luck\b|\bhave "
        rf"fun\b|\bget well soon\b|\bspeak (?:to you )?soon\b",
        r"\b(?:how (?:can|may|could)|what can|have a (?:great|good|nice) (?:offer|deal|price|option|room|selection|"
        r"number|time slot)|enjoy your (?:new|\w+) (?:and|if)|did you (?:have|enjoy)|did you see|see you (?:have|"
        r"are|were|called|bought|ordered|want|on the)|i see you|hope you have)\b",
    ),
    act_pattern(
        "still_there",
        r"\b(?:are you|you|anybody|anyone|somebody|is (?:anybody|anyone|somebody|someone)|are we|you guys) "
        r"(?:still )?(?:there|here|on the (?:line|phone|call)|with (?:me|us)|listening|connected)(?=$| \w+$| "
        r"(?:hello|can|i|are|please|if|dana|sir)\b)|^(?:(?:hello|hi|hey|okay|ok|and|sorry|um|uh) )*still (?:there|"
        r"here|with (?:me|us)|on the line|connected)$|\b(?:can|do|could|are) you (?:still )?(?:hear|hearing) (?:me|"
        r"us)\b|\b(?:did|have) (?:i|we) (?:lose|lost) you\b|\bi (?:think|believe|fear) (?:i|we|ive|weve)(?: "
        r"may)?(?: have)? lost you\b|^(?:hello |hi |hey )*(?:anyone|anybody)(?: there)?$|^(?:hello|hi|hey) (?:are "
        r"you|anyone|anybody|is anyone|is anybody) (?:there|here)\b",
        r"\b(?:if youre|if you are|while you|when you|since you|i see|once you|will be|you can hear me (?:well|"
        r"fine)|wonderful you)\b",
    ),
    act_pattern(
        "fee",
        r"\b\d+(?:\.\d+)? (?:dollars?|credits?|gbp|euros?|pounds?|usd|cents)\b|\b(?:costs?|fee|price|charges?|rate|"
        r"fare|copay|co pay)(?: \w+){0,6}? \d+(?:\.\d+)?\b",
        r"\b(?:refund|certificate|credited|back to|missing|transferred|withdraw\w*|compensation|credit of|you "
        r"(?:paid|sent)|send to|owe you|save|savings|phone|account number|days|percent)\b",
    ),
    act_pattern(
        "offers_remedy",
        r"\b(?:offer|eligible for|entitled to|qualify for|give you|issue|issuing|provide|send|arrange|set up|get "
        r"you|like|want|prefer|accept|proceed with|available in the form of|compensat\w+)(?: (?!(?:not|no|cannot|"
        r"never|unable)\b)\w+){0,8}? (?:certificate|voucher|store credit|credit|gift card|replacement|refund|"
        r"discount|coupon|compensation|exchange|new one|repair|points|goodwill|rebate|partial refund|loaner|"
        r"upgrade)s?\b",
        r"\b(?:cannot|cant|unable|not (?:able|eligible|entitled|offer|possible)|wont|not provided|credit card|"
        r"debit|no longer|process (?:a|the|your) refund|processing|downgrading|refund (?:for|of) travel|will be "
        r"processed|has been|credit (?:score|check)|dont|issue with)\b|^unfortunately\b(?!.*only)",
    ),
    act_pattern(
        "done",
        r"\b(?:has|have|had|is|are|was|were|youre|ive|weve|hes|its|thats|all|now|been)(?: (?:now|just|also|"
        r"successfully|already|been|all|fully|officially|safely|gone ahead and|managed to|both|then|complete|"
        r"great))* (?:booked|cancell?ed|confirmed|scheduled|rescheduled|processed|refunded|updated|filed|placed|"
        r"opened|closed|registered|submitted|reserved|changed|moved|completed?|set|taken care of|done|sorted|fixed|"
        r"sent|emailed|mailed|ordered|reported|noted|recorded|issued|applied|added|removed|renewed|activated|"
        r"deactivated|purchased|paid|transferred|credited|arranged|extended|upgraded|downgraded|saved|created|"
        r"signed up|enrolled|switched|turned off|waived|made|unlocked|locked|blocked|ready|resolved|on (?:its|the) "
        r"way|finished|through)\b|^(?:(?:okay|ok|great|all|alright|right|perfect|good|yes|and|it) )*(?:done|all "
        r"set|booked|sorted|it worked|worked|finished|complete|completed|all done|confirmed)\b|\b(?:booking|"
        r"payment|order|transaction|reservation|change|cancellation|transfer|update|return|request|it|everything|"
        r"that) (?:was |is |has been |went |all )?(?:successful|complete|confirmed|went through|worked|through|all "
        r"set|done|taken care of)\b|\ball (?:set|done|taken care of)\b|\b(?:i|we) (?:booked|cancell?ed|changed|"
        r"moved|sent|submitted|filed|scheduled|ordered|processed|refunded|reserved|placed)\b|\bmanaged to\b|\b\w+ "
        r"went through\b|\bwent ahead and\b",
        r"\b(?:not|isnt|hasnt|wasnt|havent|cannot|cant|couldnt|if|unless|before|until|unable|failed|never|to be|"
        r"needs to|must be|can be|would be|unfortunately|sorry|once|shall|should|within|was made)\b",
        False,
    ),
    act_pattern(
        "cannot",
        r"\b(?:cannot|cant|can not|could not|couldnt|not able to|unable to|arent able|isnt able|wont be able|not "
        r"possible|impossible|not allowed|not permitted|(?:do not|dont) (?:have|offer|take|provide|allow|do|serve|"
        r"accept|sell|handle|give|share|make)|not (?:available|eligible|refundable|covered|offered|provided|"
        r"authorized|something i|able|what i|any longer|accept\w*|within)|isnt (?:available|possible|eligible|"
        r"something)|will not|wont|unavailable|unfortunately|unable|im afraid|i am afraid|failed|no longer|there "
        r"(?:is|are) no|theres no|non refundable|not going to (?:be able|work)|fully booked|sold out|out of stock|"
        r"no (?:openings?|availability|appointments?|slots?|changes?|flights?|rooms?|tables?)|against (?:our "
        r")?policy|only able to|(?:does not|doesnt) (?:cover|allow|include)|didnt go through|have not been able|"
        r"wasnt able|was not able|refuse|must decline|have to decline|decline)\b",
        r"\bwont (?:be|take) long\b|\bif (?:you|it|that|the) (?:\w+ )?(?:cannot|cant|dont|do not|doesnt|isnt)\b|"
        r"\b(?:understand|hear|catch|get) (?:that|you|it|what)\b|\bwill not be (?:charged|billed)\b",
    ),
)
CLOSING = (*_ANYTHING, *_HELP, *_ENDS)
