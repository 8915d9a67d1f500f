"""The page on callers says what the code does."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
import yaml

from voicebench.caller.fidelity import FidelityRule
from voicebench.caller.prompt import PROMPT_VERSION, caller_prompt
from voicebench.config import load_pipeline
from voicebench.packs import load_pack
from voicebench.serve.caller import CALLER_FAULTS

pytestmark = pytest.mark.unit

PAGE = (Path(__file__).parents[2] / "docs" / "callers.md").read_text(encoding="utf-8")


def test_it_shows_the_prompt_of_this_version() -> None:
    pack = load_pack("customer_support")
    prompt = PAGE.split("~~~text\n")[1].split("~~~")[0]
    assert prompt == caller_prompt(pack.cases["T2-H3"].caller, pack.spec)
    assert f"Version {PROMPT_VERSION}, as the caller" in PAGE


def test_each_rule_has_its_row_with_the_faults_that_break_it() -> None:
    table = PAGE.split("## Fidelity")[1].split("## The local caller")[0]
    rows = [row.strip("|").split("|") for row in table.splitlines() if row.startswith("| `")]
    assert [row[0].strip(" `") for row in rows] == list(get_args(FidelityRule))
    assert [fault.strip(" `") for row in rows for fault in row[2].split(",")] == list(CALLER_FAULTS)


def test_the_models_and_the_number_of_sentences_are_right() -> None:
    sentences = yaml.safe_load(Path(__file__).with_name("sentences.yaml").read_text())
    groups = yaml.safe_load(Path(__file__).with_name("forbidden.yaml").read_text()).values()
    tempted = sum(len(entry["trips"]) + len(entry["fair"]) for group in groups for entry in group.values())
    assert f"hold {len(sentences) + tempted} sentences" in PAGE
    pinned = {load_pipeline(name).caller.llm.model for name in ("callm", "mivas")}
    assert [f"| `{model}` (pinned) | OpenAI | never | unknown |" in PAGE for model in pinned] == [True]
