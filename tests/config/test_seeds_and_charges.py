"""Seeds and charges, value by value."""

from __future__ import annotations

import pytest

from voicebench.config import Charge, derive_seed, unit_seed
from voicebench.errors import ConfigError

pytestmark = pytest.mark.unit


def test_a_seed_is_the_same_in_every_process() -> None:
    assert derive_seed("a", 1) == 4742018630964328543
    assert derive_seed("a", 1) != derive_seed(1, "a")


def test_every_part_of_a_unit_changes_its_seed() -> None:
    base = unit_seed(0, "p", "T1-E1", 1, 1)
    others = [(1, "p", "T1-E1", 1, 1), (0, "q", "T1-E1", 1, 1), (0, "p", "T1-E2", 1, 1), (0, "p", "T1-E1", 2, 1)]
    assert len({base, *(unit_seed(*unit) for unit in others), unit_seed(0, "p", "T1-E1", 1, 2)}) == 6
    assert 0 <= base < 2**63


@pytest.mark.parametrize(
    ("text", "charge"),
    [
        ("cpu", Charge("cpu")),
        ("wall", Charge("wall")),
        ("fixed:400", Charge("fixed", 400.0)),
        ("fixed:300/20.5", Charge("fixed", 300.0, 20.5)),
    ],
)
def test_a_charge_is_read_and_written_alike(text: str, charge: Charge) -> None:
    assert Charge.parse(text) == charge
    assert str(charge) == text


@pytest.mark.parametrize("text", ["", "CPU", "fixed", "fixed:1/", "fixed:x", "wall "])
def test_another_charge_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="is not understood"):
        Charge.parse(text)
