"""Packs: one industry each, with its agents, prompts, tools, database and tasks.

A pack's tools.py imports what it needs from here.
"""

from __future__ import annotations

from .arguments import Bool, Date, Enum, Id, Name, Number, Phone, Prose
from .database import State, StateDiff, diff_state, dump_state
from .desk import Desk
from .loader import Pack, TaskRef, base_task, find_tasks, list_packs, load_pack
from .models import Case, PackSnapshot, PackSpec, ToolSpec
from .speakable import spoken_date, spoken_day, spoken_list, spoken_money, spoken_number, spoken_when
from .tools import SESSION_TOOLS, Result, Tool, ok, refuse, tool
from .values import same_date, same_enum, same_id, same_name, same_number, same_phone

__all__ = [
    "SESSION_TOOLS",
    "Bool",
    "Case",
    "Date",
    "Desk",
    "Enum",
    "Id",
    "Name",
    "Number",
    "Pack",
    "PackSnapshot",
    "PackSpec",
    "Phone",
    "Prose",
    "Result",
    "State",
    "StateDiff",
    "TaskRef",
    "Tool",
    "ToolSpec",
    "base_task",
    "diff_state",
    "dump_state",
    "find_tasks",
    "list_packs",
    "load_pack",
    "ok",
    "refuse",
    "same_date",
    "same_enum",
    "same_id",
    "same_name",
    "same_number",
    "same_phone",
    "spoken_date",
    "spoken_day",
    "spoken_list",
    "spoken_money",
    "spoken_number",
    "spoken_when",
    "tool",
]
