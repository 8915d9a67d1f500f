"""Packs: one industry each, with its agents, prompts, tools, database and tasks.

A pack's tools.py imports what it needs from here.
"""

from __future__ import annotations

from voicebench.language.values import same_date, same_enum, same_id, same_name, same_number, same_phone
from voicebench.language.verbalize import spoken_date, spoken_day, spoken_list, spoken_money, spoken_number, spoken_when
from voicebench.packs.arguments import Bool, Date, Enum, Id, Name, Number, Phone, Prose
from voicebench.packs.database import State, diff_state, dump_state
from voicebench.packs.loader import Pack, TaskRef, base_task, find_tasks, list_packs, load_pack
from voicebench.packs.models import Case, PackSnapshot, PackSpec, ToolSpec
from voicebench.packs.tool_context import ToolContext
from voicebench.packs.tools import SESSION_TOOLS, Result, Tool, ok, refuse, tool

# Packs name the type of a tool's first argument. Those that exist call it Desk, and their files are hashed, so that the
# old name stays.
Desk = ToolContext

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
    "TaskRef",
    "Tool",
    "ToolContext",
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
