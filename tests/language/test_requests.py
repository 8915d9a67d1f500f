"""Which details agents ask for, in words that people use at desks, and what only looks like asking."""

from __future__ import annotations

import pytest

from voicebench.language.requests import requested
from voicebench.language.sentences import split_sentences

pytestmark = pytest.mark.unit

ASKED: dict[str, tuple[str, ...]] = {
    "full_name": (
        "May I have your first and last name?",
        "Who am I speaking with?",
        "And who do I have on the line?",
        "Who's calling, please?",
        "Could you spell your surname for me?",
        "How do you spell your last name?",
        "What name is the account under?",
        "Can I take a name, please?",
        "Name, please.",
        "Last name?",
        "Could I start with your full name?",
        "May I ask who is calling?",
        "If I could just get your name, I'll find your file.",
        "I'll just need the name on the account.",
        "Sorry, I didn't catch your name.",
        "Let me get your name first.",
        "Would you mind telling me your name?",
        "and your name is",
        "thanks for calling may i have your name please",
    ),
    "order_number": (
        "What's the order number?",
        "Do you have your order number handy?",
        "Could you read me the confirmation number?",
        "Can I get the booking reference number from you?",
        "I'd need the number of your order.",
        "The order number, please?",
        "Once you provide the reservation ID, I can look into it.",
        "Any chance you have the order number?",
        "I didn't get your order number, sorry.",
        "Could you please double-check the order ID?",
        "What was the order number again?",
        "please tell me your order number",
        "Would you happen to know the confirmation code?",
        "I can't look anything up without your order number.",
    ),
    "account_or_member_number": (
        "What's the ID number on the card?",
        "Can I have your membership number?",
        "Could you give me your member ID?",
        "Account number?",
        "Please enter your customer number.",
        "I just need your account number to pull up your file.",
        "Could you read me the number on your insurance card?",
        "What is the policy number?",
        "And the membership no., please?",
        "If you have your account number, I can look you up.",
        "do you know your customer id",
        "Can you look at your card and tell me the member ID?",
    ),
    "phone": (
        "What is the best number to reach you at?",
        "Can I get a callback number?",
        "What's the phone number on the account?",
        "And a good contact number for you?",
        "Could I have your mobile number, please?",
        "Your phone number?",
        "How can we reach you if we get cut off?",
        "What number are you calling from?",
        "Is there a phone number we can call?",
        "I'll need a daytime phone number.",
        "Could you confirm the telephone number for me?",
    ),
    "postal_code": (
        "And the zip?",
        "What is your postcode?",
        "Could you confirm the billing ZIP code?",
        "Postal code, please.",
        "May I have your zip code to verify the account?",
        "And your five digit zip code?",
        "I also need the postal code.",
    ),
    "email": (
        "What's your e-mail?",
        "Could you share your email address with me?",
        "Which email address should I use?",
        "Do you have an email on file?",
        "Email address, please.",
        "Can you spell the e-mail address?",
    ),
    "address": (
        "What is your mailing address?",
        "Could I have your home address, please?",
        "Where do you live?",
        "Where should we ship it?",
        "Can you confirm the shipping address?",
        "And the street address?",
    ),
    "card_last4": (
        "Which numbers does that credit card end with?",
        "How does your card end?",
        "I'm sorry, I did not get all of that. Now just the last four on that debit card, please.",
        "What are the last four digits of the card?",
        "And the last four?",
        "Can you read me the last 4 of your credit card?",
        "Could you give me the card number?",
        "The last four digits of the card you paid with, please.",
        "I need the final four digits.",
    ),
    "birth_date": (
        "Tell me the day, the month and the year you were born.",
        "And the year in which she was born, please?",
        "What is your date of birth?",
        "When were you born?",
        "And your birthday?",
        "Could you verify your birth date for me?",
        "DOB?",
        "Can I have the patient's date of birth?",
        "I'm going to need your date of birth.",
        "What year were you born?",
        "Please confirm your date of birth so I can open the chart.",
        "your birthday please",
    ),
    "day_or_time": (
        "Which day would suit you?",
        "When would you like us to come?",
        "What time works best for you?",
        "Do you have a particular day in mind?",
        "Is there another day that works?",
        "What date were you thinking of?",
        "Let me know which day you prefer.",
        "How soon do you need it?",
        "Mornings or afternoons?",
        "On what day did it arrive?",
        "And the date of the accident?",
        "I have the 4th, 5th and 6th, which one?",
        "We have Monday at ten and Tuesday at two. Which would you prefer?",
        "Would Thursday or Friday be better?",
        "Could you tell me when you would like to come in?",
        "until when do you need it",
        "what day would you like for the delivery",
    ),
    "reason": (
        "May I ask why?",
        "What made you decide to return it?",
        "Could you give me the reason for the return?",
        "How come?",
        "What brought you here?",
        "Why do you want to send them back?",
        "Is there a reason for the cancellation?",
        "I'd need to know the reason for it.",
        "Why is that?",
    ),
    "what_happened": (
        "What seems to be the trouble?",
        "What exactly happened?",
        "Can you describe the problem?",
        "What's wrong with it?",
        "Tell me about the issue.",
        "Could you tell me what happened?",
        "What are your symptoms?",
        "What's going on with the laptop?",
        "What kind of problem are you having?",
        "Is anything wrong with it?",
        "In your own words, please.",
        "what is the matter with it",
    ),
    "which_item": (
        "Which item would you like to return?",
        "Which order is it about?",
        "What are you sending back?",
        "Which one of your orders do you mean?",
        "What product is this about?",
        "Could you tell me which device it is?",
        "Which of these would you like?",
        "What did you order?",
        "What is it you'd like to return?",
    ),
    "amount": (
        "How much would you like to pay?",
        "What amount should I enter?",
        "And how much was it?",
        "Could you give me the exact amount?",
    ),
    "other": (
        "What's your PIN?",
        "May I have the last four of your Social Security number?",
        "Could you tell me your mother's maiden name?",
        "What is your user name?",
        "Password, please.",
        "Which city do you live in?",
        "How many people is it for?",
        "What is the name of your doctor?",
        "What's the security code?",
        "Do you have the expiration date?",
        "Could you give me the serial number?",
        "Which office would you like?",
        "What is the name of the movie?",
    ),
}


@pytest.mark.parametrize(("detail", "turn"), [(detail, turn) for detail, turns in ASKED.items() for turn in turns])
def test_a_detail_is_asked_for(detail: str, turn: str) -> None:
    assert requested(split_sentences(turn), {}).details == (detail,)


@pytest.mark.parametrize(
    ("turn", "details"),
    [
        ("Could I have your name and the order number?", "full_name order_number"),
        ("Your full name, the zip and the last four, please.", "full_name postal_code card_last4"),
        ("The order number or your phone number?", "order_number phone"),
        ("What is your name, and what is your date of birth?", "full_name birth_date"),
        ("May I have the order number, or if you don't have that, your phone number?", "order_number phone"),
        ("I need your account number and PIN.", "account_or_member_number other"),
        ("Could you give me the day you prefer and a phone number?", "day_or_time phone"),
        ("To find you, I'd need your last name, date of birth and zip code.", "full_name birth_date postal_code"),
        ("Which item is it, and why do you want to return it?", "which_item reason"),
        ("What's your email, so I can send it, and your postal code?", "email postal_code"),
        ("The order ID is missing. Could you provide it again?", "order_number"),
        ("Thanks. And your zip code? And the last four?", "postal_code card_last4"),
    ],
)
def test_several_details_are_asked_for_at_once(turn: str, details: str) -> None:
    assert requested(split_sentences(turn), {}).details == tuple(details.split())


NOT_ASKED = (
    # told, not asked
    "Your order number is KE-4471860.",
    "I have your order number as KE-4479002.",
    "Please note your confirmation number: 8841207.",
    "The reference number is RA-2207.",
    "Please confirm your phone number is 541-555-0146.",
    "Your user ID has been verified.",
    "Your date of birth is correct.",
    "Thank you, I have your name now.",
    "I found several orders under your account number.",
    "Your card ending in 2208 will be charged.",
    "Can you confirm your address is still correct?",
    "My name is Laura, how can I help you?",
    "This is Robin, how may I help you?",
    "I'm Robin from Kestrel.",
    # announced, of the agent itself
    "I can help you find the order ID, let me check.",
    "Let me double-check the order ID.",
    "I'll look up your order number.",
    "Let me verify your phone number with the system.",
    "I am checking your account number.",
    "I will send the return label to your email address.",
    "We will ship it to your address.",
    "I'll note the reason for the return.",
    "I have updated your phone number.",
    "I will call you on your phone number.",
    "Let me check which day is free.",
    "I'll see what happened there.",
    "Let me find out what is wrong.",
    "I'll check when it ships.",
    "Let me see why that is.",
    "I can tell you when it will arrive.",
    # refused or not needed
    "I don't need your order number.",
    "You don't need to give me your card number.",
    "We will never ask for your password.",
    "There is no need to tell me your date of birth.",
    # yes or no
    "Please confirm if you would like to proceed.",
    "Could you confirm that you want to return one of your orders?",
    "Please tell me whether that works for you.",
    "Let me know if the address has changed.",
    "Could you confirm that the order number on your receipt is the same?",
    "Is that the right order number?",
    "Is Dana Whitfield your full name?",
    "Would you like to try a different day?",
    "Is everything fine on your end?",
    "Shall I cancel it?",
    "Shall I book Thursday for you?",
    "Would you like me to open the return?",
    "Does Monday at ten work for you?",
    # offers and endings
    "How can I help you?",
    "What can I do for you today?",
    "Is there anything else I can do for you?",
    "If you have any other questions, let me know.",
    "Let me know if you have any problem with it.",
    "Have a great day!",
    "Have a wonderful time.",
    "Thank you for your time.",
    "No problem.",
    "No problem at all, one moment please.",
    "Thanks for letting me know what happened.",
    "One more time, please.",
    "Can I have a moment?",
    "Could you give me a minute?",
    "Could you repeat that?",
    "Could you say that again?",
    "I'm sorry to hear about the trouble.",
    "Sorry for the issue.",
    # statements with words of details
    "The delivery day has been changed.",
    "It takes 5 business days.",
    "We are open every day.",
    "At this time we cannot do that.",
    "Your appointment is on August 3rd at 10 a.m.",
    "The reason is our policy.",
    "That is why we cannot refund it.",
    "I understand why you are upset.",
    "I understand how much this means to you.",
    "Once I have transferred you, they can help.",
    "When you arrive, please check in at the desk.",
    "The item cannot be returned.",
    "We have a problem with our system.",
    "The fee covers each order.",
    "You can find that on our website.",
    "Please have a seat.",
    "Your name is on the list.",
    "I need to transfer you to the billing department.",
    "I would like to help you with that.",
    "We need two days to process it.",
    "You will get an email with the details.",
    "The card was declined.",
    "I know what happened.",
    "What a day!",
)


@pytest.mark.parametrize("turn", NOT_ASKED)
def test_what_only_looks_like_asking(turn: str) -> None:
    assert requested(split_sentences(turn), {}).details == ()


OWN = {
    "chart_number": ["(chart|medical record) number"],
    "patient_name": ["patients?( full)? name", "name of the patient"],
    "phone_code": ["phone code"],
    "which_tier": ["tier"],
}


@pytest.mark.parametrize(
    ("turn", "own", "details"),
    [
        ("Could I have the chart number?", "chart_number", ""),
        ("What is the patient's name?", "patient_name", ""),
        ("And the name of the patient, please?", "patient_name", ""),
        ("What is the phone code, and your phone number?", "phone_code", "phone"),
        ("Your date of birth or your chart number?", "chart_number", "birth_date"),
        ("Which tier would you like?", "which_tier", ""),
        ("Your chart number is KL-447123.", "", ""),
        ("Let me look at the chart number.", "", ""),
    ],
)
def test_the_packs_own_nouns_go_before_general_ones(turn: str, own: str, details: str) -> None:
    found = requested(split_sentences(turn), OWN)
    assert (found.own, found.details) == (tuple(own.split()), tuple(details.split()))


def test_what_nothing_names_has_no_name() -> None:
    assert requested(split_sentences("Which office would you like?"), {}).named == ()
    assert requested(split_sentences("What is your PIN?"), {}).named == ("other",)
