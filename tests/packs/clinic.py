"""One call at the desk of the Marlow Ridge Clinic, tool by tool."""

from __future__ import annotations

import datetime as dt
from typing import Any

from voicebench.packs import ToolContext, dump_state
from voicebench.packs.loader import Pack

__all__ = ["Clinic"]


class Clinic:
    """A desk of its own, and what the call at it has opened.

    Args:
        pack: the clinic's.
        patient: whose chart is open from the beginning, None for no chart.
        today: another day than the pack's.
    """

    def __init__(self, pack: Pack, patient: str | None = None, today: dt.date | None = None) -> None:
        self.pack = pack
        self.desk = ToolContext(pack.open_database(), today or pack.today)
        if patient is not None:
            assert self("confirm_identity", **self.proof(patient), calling_for="self")["ok"]

    def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its envelope."""
        return self.pack.tools[name].invoke(self.desk, arguments)

    def code(self, name: str, **arguments: Any) -> Any:
        """Call a tool and return the code of its refusal."""
        return self(name, **arguments)["error_code"]

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return a state table."""
        return dump_state(self.desk.db, self.pack.spec)[table]

    def proof(self, patient: str) -> dict[str, str]:
        """Return what proves who a patient of the seed is."""
        row = self.desk.one("SELECT * FROM patients WHERE patient_id = ?", patient)
        assert row is not None
        return {name: row[name] for name in ("full_name", "date_of_birth", "phone")}

    def speak_for(self, patient: str, caller: str, relation: str) -> dict[str, Any]:
        """Call for a patient as somebody else."""
        assert self("confirm_identity", **self.proof(patient), calling_for="other")["ok"]
        return self("check_representative", caller_name=caller, relation=relation)
