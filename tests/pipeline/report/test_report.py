"""The report as a reader has it: one page that says what the result says, and needs nothing else."""

import io
import json
import re
import subprocess
import sys
from collections import Counter
from contextlib import redirect_stdout
from dataclasses import replace
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from kernels.dealing import deal_one
from pipeline import config as configuration
from pipeline.cli import main
from pipeline.deals.notation import board_rows
from pipeline.report.html import STYLE
from pipeline.shards import shards
from pipeline.store import parquet
from pipeline.store.result import open_result
from tests.conftest import ROOT, SMALL, Make

VOID = {"meta", "br", "link", "img", "hr", "input"}

Read = pytest.CaptureFixture[str]


class Page(HTMLParser):
    """A page taken apart; it fails where a tag isn't closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.boards: list[str] = []
        self._open: list[str] = []
        self._words = ""
        self._caption = ""
        self.feed(text)
        self.close()
        assert self._open == []
        self.words = " ".join(re.sub(r"<style>.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL).split())

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attributes]
        if tag not in VOID:
            self._open.append(tag)
        if tag in ("caption", "td", "th", "pre"):
            self._words = ""
        if tag == "tr":
            self._row: list[str] = []

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self._words += data

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, f"</{tag}> closes something else"
        if tag == "caption":
            self._caption = self._words
            self.tables[self._caption] = []
        elif tag in ("td", "th"):
            self._row.append(self._words)
        elif tag == "tr":
            self.tables[self._caption].append(self._row)
        elif tag == "pre":
            self.boards.append(self._words)


def reported(*arguments: object) -> Page:
    """The page that the command writes."""
    *_, out = arguments
    assert main(["report", *map(str, arguments[:-1]), "--out", str(out)]) == 0
    return Page(Path(str(out)).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result that a run made, deals 11,801 to 12,200."""
    folder = tmp_path_factory.mktemp("real")
    (folder / "small.toml").write_text(SMALL)
    command = [sys.executable, "-m", "pipeline", "run", str(folder / "small.toml"), "--out", str(folder / "out")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, start_new_session=True)
    assert done.returncode in (0, 3), done.stderr
    return folder / "out"


class Reported(NamedTuple):
    """A report of the real result: the page, and what was said on standard output."""

    path: Path
    said: dict[str, Any]

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def report(real: Path) -> Reported:
    path = real.parent / "page.html"
    with redirect_stdout(io.StringIO()) as out:
        reported(real, "--json", path)
    return Reported(path, json.loads(out.getvalue()))


def test_says_what_the_result_says(real: Path, report: Reported) -> None:
    page, said = Page(report.text), report.said
    result = open_result(real)
    rows = [parquet.read(place, footer.shard) for place, footer in result.shards]
    positions = np.concatenate([block.positions for block in rows])
    moves = np.concatenate([block.moves for block in rows])
    moves = moves[moves > 0]
    assert said["report"] == str(report.path)
    assert (said["deals"], said["unsolvable"], said["solved"]) == (400, 1, result.counts.solved)
    assert said["complete"]
    for caption, name, values in (
        ("Positions expanded for a deal", "positions", positions),
        ("Moves of the solved deals", "moves", moves),
    ):
        table = dict(page.tables[caption])
        for percent, row in (
            (50, "median"),
            (90, "90th percentile"),
            (99, "99th percentile"),
            (99.9, "99.9th percentile"),
        ):
            true = int(np.percentile(values, percent, method="inverted_cdf"))
            assert table[row] == f"{true:,}"
            assert said[name][f"p{percent}"] == true
        assert table["largest"] == f"{values.max():,}"
        assert table["mean"] == f"{values.mean():,.1f}"
    deal, plain, *_ = page.tables["Unsolvable deals, 1"][1]
    assert (deal, plain) == ("11982", "83,239")
    assert page.boards[0] == board_rows(deal_one(11_982))
    by_attempt = [row[2] for row in page.tables["Deals by their last attempt"][1:]]
    assert sum(int(count) for count in by_attempt) == result.counts.solved
    hardest = page.tables["The 20 hardest solved deals"][1:]
    assert [int(row[1].replace(",", "")) for row in hardest] == sorted(
        np.concatenate([block.positions[block.moves > 0] for block in rows]).tolist(), reverse=True
    )[:20]
    longest = 11_801 + int(np.argmax(np.concatenate([block.moves for block in rows])))
    assert f"The longest solution is that of deal {longest}, {moves.max():,} moves." in page.words
    assert "1 of the 1 deals that results/known/unsolvable-10m.txt lists for 11,801 to 12,200" in page.words
    assert "Nothing contradicts the list." in page.words
    assert "incomplete" not in page.words
    facts = dict(row for row in page.tables["Configuration and program"] if len(row) == 2)
    assert facts["kernels digest"] == result.shards[0][1].provenance.kernels
    assert facts["hosts"] != "no log"
    (starts,) = (table for caption, table in page.tables.items() if caption.startswith("Starts of the run"))
    assert starts[1][2:] == ["400", "complete"]


def test_needs_nothing_else(report: Reported) -> None:
    """Every reference stays in the page, and goes to something that is there; nothing runs, nothing is loaded."""
    text, page = report.text, Page(report.text)
    assert page.tags["html"] == page.tags["title"] - page.tags["svg"] == 1
    assert not {"script", "link", "iframe", "img", "object", "embed", "base", "form"}.intersection(page.tags)
    names = [value for _, name, value in page.attributes if name == "id"]
    assert len(names) == len(set(names))
    for tag, name, value in page.attributes:
        assert not name.startswith("on")
        if name in ("href", "src", "xlink:href", "srcset", "action", "data"):
            assert value.startswith("#"), (tag, name, value)
            assert value[1:] in names
        if name == "aria-labelledby":
            assert set(value.split()) <= set(names)
    assert {target for target in re.findall(r"url\((.*?)\)", text) if target[1:] not in names} == set()
    assert not re.search(r"https?:|//[a-z]|@import|@font-face", text)


def test_plots_are_in_the_colours_of_the_page_and_in_words(report: Reported) -> None:
    plots = re.findall(r"<svg.*?</svg>", report.text, flags=re.DOTALL)
    assert len(plots) == 8  # four, each wide and narrow
    for plot in plots:
        assert not re.search(r"#[0-9a-f]{6}\b|font-family", plot)
        assert "var(--accent)" in plot
        assert 'role="img"' in plot
        assert re.search(r"<title id=[^>]*>\w.*?</title><desc id=[^>]*>\w", plot)
    assert sum("deals a second" in plot for plot in plots) == 2


def luminance(colour: str) -> float:
    linear = [(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
              for part in (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))]  # fmt: skip
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def test_contrast_in_light_and_dark() -> None:
    """Text reaches the 4.5 to 1 of WCAG 2 on both backgrounds of both schemes."""
    schemes = [
        dict(re.findall(r"--(\w+): (#\w{6})", block)) for block in re.findall(r":root {(.*?)}", STYLE.read_text(), re.S)
    ]
    assert len(schemes) == 2
    for scheme in schemes:
        for name in ("ink", "muted", "accent", "second", "red"):
            for ground in ("page", "raised"):
                low, high = sorted((luminance(scheme[name]), luminance(scheme[ground])))
                assert (high + 0.05) / (low + 0.05) >= 4.5, (name, ground)


def test_same_result_same_page(real: Path, report: Reported, tmp_path: Path) -> None:
    reported(real, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == report.path.read_bytes()


def test_two_results_side_by_side(real: Path, make: Make, tmp_path: Path, capsys: Read) -> None:
    other = make({11_982, 11_990})
    page = reported(real, "--beside", other, "--json", tmp_path / "page.html")
    said = json.loads(capsys.readouterr().out)
    assert (said["unsolvable"], said["beside"]["unsolvable"]) == (1, 2)
    assert page.tables["Configuration and program"][0] == [
        "setting",
        str(real),
        str(other),
        "comparison",
    ]  # both are called "small"
    rows = {row[0]: row[1:] for row in page.tables["Configuration and program"]}
    assert rows["schema"] == ["2", "2", "same"]
    assert rows["begun"][1:] == ["no log", "differs"]
    assert [row[0] for row in page.tables["Unsolvable deals, 1"][1:]] == ["11982"]
    assert [row[0] for row in page.tables["Unsolvable deals, 2"][1:]] == ["11982", "11990"]
    table = {row[0]: row[1:] for row in page.tables["Moves of the solved deals"]}
    assert table["measure"] == [str(real), str(other)]
    assert table["median"][1] == "90"
    assert "Unsolvable here, not in the list: 11990." in page.words
    assert f"{other} contradicts the published list." in page.words
    assert f"{real} contradicts the published list." not in page.words
    assert "There is no run.jsonl" in page.words


def test_several_folders_are_one_result(make: Make, tmp_path: Path) -> None:
    odd, even = make(which=slice(0, None, 2), name="odd"), make(which=slice(1, None, 2), name="even")
    page = reported(odd, even, tmp_path / "page.html")
    assert dict(page.tables["Moves of the solved deals"])["deals"] == "399"
    assert "incomplete" not in page.words


def test_parts_are_one_result_with_a_log_each(make: Make, tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    for number in (1, 2):
        part = make(which=slice(number - 1, None, 2), name=f"whole/part-{number}-of-2")
        (part / "run.jsonl").write_text(
            '{"time": "2026-01-02T03:04:05+00:00", "event": "start", "host": "one"}\n'
            '{"time": "2026-01-02T03:04:08+00:00", "event": "shard", "first": 11801, "last": 11850}\n'
        )
    page = reported(tmp_path / "whole", tmp_path / "page.html")
    assert dict(page.tables["Moves of the solved deals"])["deals"] == "399"
    assert page.words.count("50 deals in 3 s of running, 17 a second, no interruption. Each step") == 2
    assert f"{tmp_path}/whole/part-2-of-2" in page.words


def test_incomplete(make: Make, tmp_path: Path, capsys: Read) -> None:
    page = reported(make({11_802}, {11_803, 11_850}, which=slice(0, 2)), tmp_path / "page.html")
    assert capsys.readouterr().err == "small is incomplete, and its page says so\n"
    assert "This result is incomplete. Only 100 of 400 deals are there (25.0 %). 2 deals are undecided." in page.words
    assert "0 of the 1 deals" in page.words
    assert "1 of them are not decided yet." in page.words
    assert "Grey: most deals are not there yet." in page.words
    assert [row[0] for row in page.tables["Undecided deals, 2"][1:]] == ["11803", "11850"]
    assert dict(page.tables["Positions expanded for a deal"])["deals"] == "98"


def test_nothing_there_yet(make: Make, tmp_path: Path) -> None:
    folder = make(which=slice(0, 0))
    (folder / "run.jsonl").write_text('{"time": "2026-01-02T03:04:05+00:00", "event": "start", "host": "one"}\n')
    page = reported(folder, tmp_path / "page.html")
    assert (
        "This result is incomplete. Only 0 of 400 deals are there (0.0 %). There is nothing to show yet." in page.words
    )
    facts = dict(page.tables["Configuration and program"][1:])
    assert facts["schema"] == "no file yet"
    assert page.tables["Starts of the run, UTC"][1] == [
        "2026-01-02 03:04",
        "0 s",
        "0",
        "no end noted: killed, or still running",
    ]
    assert facts["hosts"] == "one"
    assert page.tags["svg"] == 0


def test_nothing_decided(make: Make, tmp_path: Path) -> None:
    page = reported(make(set(), set(range(11_801, 12_201))), tmp_path / "page.html")
    assert "400 deals are undecided." in page.words
    assert len(page.tables["Undecided deals: the first 200 of 400"]) == 201


def test_nothing_solved(make: Make, tmp_path: Path) -> None:
    page = reported(make(set(range(11_801, 12_201))), tmp_path / "page.html")
    assert "and 349 more" in page.words  # deals that are not in the list
    assert len(page.boards) == 401  # and the configuration


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("", "The configuration names no published list."),
        ("nowhere.txt", "The published list nowhere.txt is not there."),
        ("elsewhere.txt", "covers no deal of this range."),
    ],
)
def test_without_a_list_the_expected_rate(
    known: str, said: str, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("elsewhere.txt").write_text("# range 1 100\n")
    folder = make()
    rewritten(folder, known=known)
    page = reported(folder, tmp_path / "page.html")
    assert said in page.words
    assert "About 1 in 84,000 is expected, 0.0 for this range." in page.words
    assert "expected, 1 in 84,000" in page.words


def rewritten(folder: Path, known: str) -> None:
    config = configuration.load(folder / "config.toml")
    config = replace(config, verify=configuration.Verify(known))
    (folder / "config.toml").write_text(configuration.dump(config))


def test_names_are_escaped(make: Make, tmp_path: Path) -> None:
    folder = make()
    rewritten(folder, known="<b>&amp;.txt")
    (folder / "run.jsonl").write_text(
        '{"time": "2026-01-02T03:04:05+00:00", "event": "start", "host": "<script>alert(1)</script>"}\n'
    )
    page = reported(folder, tmp_path / "page.html")
    assert page.tags["script"] == page.tags["b"] == 0
    assert "The published list &lt;b&gt;&amp;amp;.txt is not there." in page.words
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.words


@pytest.mark.parametrize("name", ["<b>&\"'", r"$\frac$", "caf\udce9"])
def test_folders_of_any_name(make: Make, tmp_path: Path, name: str) -> None:
    page = reported(make(name=name), "--beside", make(name="other"), tmp_path / "page.html")
    assert page.tags["b"] == 0
    assert escape(str(tmp_path / name).replace("\udce9", r"\udce9")) in page.words


def test_corrupt_shard(make: Make, tmp_path: Path, capsys: Read) -> None:
    folder = make()
    path = sorted((folder / "deals").glob("*.parquet"))[3]
    broken = bytearray(path.read_bytes())
    broken[60] ^= 1
    path.write_bytes(broken)
    assert main(["report", str(folder)]) == 2
    assert f"{path} is corrupt" in capsys.readouterr().err
    assert not (folder / "report.html").exists()


def test_no_folder_for_the_page(make: Make, tmp_path: Path, capsys: Read) -> None:
    assert main(["report", str(make()), "--out", str(tmp_path / "none/page.html")]) == 2
    assert f"there is no folder {tmp_path / 'none'}" in capsys.readouterr().err


def test_the_page_takes_the_place_of_no_file_of_a_run(make: Make, capsys: Read) -> None:
    folder = make()
    for path in (folder / "config.toml", *(folder / "deals").glob("*.parquet")):
        assert main(["report", str(folder), "--out", str(path)]) == 2
        assert "take another name" in capsys.readouterr().err


def test_the_page_is_in_the_folder_unless_told(make: Make, capsys: Read) -> None:
    folder = make()
    assert main(["report", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder / 'report.html'}\n"
    assert main(["verify", str(folder)]) == 0


def test_without_matplotlib(make: Make) -> None:
    script = "import sys; sys.modules['matplotlib'] = None; from pipeline.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", script, "report", str(make())]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("freecell-census: a report needs matplotlib")
    assert "pip install '.[report]'" in done.stderr


def as_other_game(folder: Path, game: str) -> Path:
    """The same rows as those of another game."""
    path = folder / "config.toml"
    path.write_text(path.read_text().replace('game = "freecell"', f'game = "{game}"'))
    config = configuration.load(path)
    for shard in shards(config):
        parquet.write(folder, shard, parquet.read(folder, shard), config)
    return folder


def test_two_games_side_by_side(make: Make, tmp_path: Path) -> None:
    ours, other = make({11_982, 11_990}), as_other_game(make({11_990, 12_000}, {12_001}, name="other"), "bakers")
    page = reported(ours, "--beside", other, tmp_path / "page.html")
    heads, *rows = page.tables["Deals by both verdicts"]
    assert [head.split(" in ")[0] for head in heads] == ["verdict", "solved", "unsolvable", "undecided", "all"]
    assert [row[1:] for row in rows] == [["396", "1", "1", "398"], ["1", "1", "0", "2"]]
    assert "Baker's Game with 4 cells" in heads[1]
    assert "FreeCell with 4 cells" in rows[0][0]
    assert "The published list results/known/unsolvable-10m.txt is about FreeCell with 4 cells." in page.words


def test_the_game_is_named_in_title_headings_and_plots(make: Make, tmp_path: Path) -> None:
    folder = as_other_game(make(), "bakers")
    out = tmp_path / "page.html"
    reported(folder, out)
    text = unescape(out.read_text(encoding="utf-8"))
    assert "<title>small: census of Baker's Game with 4 cells: freecell-census</title>" in text
    assert text.count("<small>Baker's Game with 4 cells</small>") == text.count("</h2>")
    assert text.count(", Baker's Game with 4 cells</title>") == text.count("<svg")
