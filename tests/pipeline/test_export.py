"""Export of deal numbers by verdict."""

import json

import pytest

from pipeline.export import export
from tests.conftest import Make


def test_export(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make({11_982, 12_001}, {11_801})
    assert export(folder, "unsolvable", as_json=False) == 0
    assert capsys.readouterr().out == "11982\n12001\n"
    assert export(folder, "undecided", as_json=True) == 0
    assert json.loads(capsys.readouterr().out) == {"verdict": "undecided", "deals": [11801]}
    assert export(folder, "solved", as_json=False) == 0
    assert len(capsys.readouterr().out.split()) == 397
