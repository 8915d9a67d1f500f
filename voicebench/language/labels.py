"""The labels of what an agent's turn asks and does, whatever the company: those of the corpus of natural wordings."""

from __future__ import annotations

from typing import Literal

__all__ = ["Act", "Detail", "Label"]

Detail = Literal[
    "full_name",
    "order_number",
    "account_or_member_number",
    "phone",
    "postal_code",
    "email",
    "address",
    "card_last4",
    "birth_date",
    "day_or_time",
    "reason",
    "what_happened",
    "which_item",
    "amount",
    "other",
]
"""What a turn asks the caller for; ``other`` is a detail that none of these names."""

Act = Literal[
    "repeat_unnamed",
    "repeat_named",
    "read_back",
    "not_found",
    "hold",
    "working",
    "thanks",
    "proceed",
    "anything_else",
    "what_help",
    "offers_person",
    "transfers_now",
    "offers_callback",
    "done",
    "cannot",
    "offers_remedy",
    "fee",
    "goodbye",
    "still_there",
    "apology",
    "small_talk",
]
"""What a turn does beside asking for details."""

Label = Detail | Act
