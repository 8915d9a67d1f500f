"""What the call's models were asked and what they answered, in the order in which it was asked."""

from __future__ import annotations

from typing import Any

from voicebench.record.exchanges import Exchange, parse_exchange

__all__ = ["Exchanges"]


class Exchanges:
    """Collects the exchanges of one call with its models."""

    def __init__(self) -> None:
        self._records: list[Exchange] = []

    def add(self, exchange: Exchange | str, **fields: Any) -> None:
        """Add one exchange: a record; or its kind and its fields."""
        if isinstance(exchange, str):
            exchange = parse_exchange({"kind": exchange, **fields})
        self._records.append(exchange)

    def records(self) -> list[Exchange]:
        """Return the exchanges."""
        return list(self._records)

    def lines(self) -> list[dict[str, Any]]:
        """Return the exchanges as JSON-able dictionaries."""
        return [record.to_json() for record in self._records]
