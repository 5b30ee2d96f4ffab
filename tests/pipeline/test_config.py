"""Configurations: what is read, what is refused, and with which words."""

from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.config import Config, Game, Range, Verify, differences, dump, load, own_list
from pipeline.errors import UsageError
from tests.conftest import ROOT, SMALL, Make

CONFIGS = sorted((ROOT / "configs").glob("*.toml"))


def loaded(path: Path, text: str) -> Config:
    path.write_text(text, encoding="utf-8")
    return load(path)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_configurations_of_the_repository(path: Path) -> None:
    config = load(path)
    assert config.name == path.stem
    if config.rules == Game("freecell", 4):
        assert config.search.quick == (450, 870, 15_880, 30_000)
    deep = (100_000, 150_000, 3_000_000, 50_000_000)
    assert config.search.deep == (deep[:3] if config.rules.cells < 3 or config.rules.fewest else deep)
    if config.verify.known:
        assert (ROOT / config.verify.known).is_file()


def test_windows_of_the_repository() -> None:
    spans = {path.stem: load(path).range for path in CONFIGS}
    assert (spans["edge-2p31"].first, spans["edge-2p31"].last) == (2**31 - 5_000_000, 2**31 + 4_999_999)
    assert (spans["edge-2p32"].first, spans["edge-2p32"].last) == (2**32 - 5_000_000, 2**32 + 4_999_999)
    assert (spans["edge-2p33"].first, spans["edge-2p33"].last) == (2**33 - 1_000_000, 2**33 - 1)
    assert (spans["full-2p33"].first, spans["full-2p33"].last) == (1, 2**33 - 1)


def test_what_is_written_out_is_read_again(tmp_path: Path) -> None:
    config = loaded(tmp_path / "a.toml", SMALL)
    assert loaded(tmp_path / "b.toml", dump(config)) == config


def test_any_text_is_read_again(tmp_path: Path) -> None:
    known = "".join(map(chr, range(256))) + "\u2028 \U0001f0a1"
    config = replace(loaded(tmp_path / "a.toml", SMALL), verify=Verify(known))
    assert loaded(tmp_path / "b.toml", dump(config)) == config


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[range]", "[ragne]", "unknown key 'ragne': did you mean 'range'?"),
        ("shard =", "shards =", "unknown key 'store.shards': did you mean 'store.shard'?"),
        ("shard =", "known =", "unknown key 'store.known': did you mean 'verify.known'?"),
        ("shard =", "x =", "unknown key 'store.x': one of store.shard, store.solutions"),
        ("last = 12_200\n", "", "the key 'range.last' is missing"),
        ("first = 11_801", "first = 0", "range.first: 0 is not from 1 to 8589934591"),
        ("last = 12_200", "last = 8589934592", "range.last: 8589934592 is not from 11801 to 8589934591"),
        ("last = 12_200", "last = 11_800", "range.last: 11800 is not from 11801"),
        ("quick = [60, 400]", "quick = []", "number of attempts in search.quick: 0 is not from 1 to 16"),
        ("quick = [60, 400]", f"quick = {list(range(1, 18))}", "search.quick: 17 is not from 1 to 16"),
        ("quick = [60, 400]", "quick = [400, 60]", "more positions than the one before"),
        ("quick = [60, 400]", "quick = 60", "search.quick: a list of numbers"),
        ("deep = [4_000, 100_000]", "deep = [4_000, 0]", "search.deep: 0 is not from 1"),
        ("shard = 50", "shard = 0", "store.shard: 0 is not from 1"),
        ("last = 12_200", "last = 8_589_934_591", "store.shard: 50 makes more than 1,000,000 files of this range"),
        ("last = 12_200", "last = 8_589_934_591", "at least 8590"),
        ("first = 11_801", "first = 0x" + "f" * 5_000, "range.first: a number that is too long to show"),
        ("quick = [60, 400]", "quick = [0x" + "f" * 5_000 + "]", "too long to show"),
        ("shard = 50", "shard = true", "store.shard: a whole number is needed, not True"),
        ("shard = 50", "shard = 2.5", "store.shard: a whole number is needed, not 2.5"),
        ("shard = 50", "solutions = 1", "store.solutions: true or false is needed, not 1"),
        ("[range]", "[rules]\ncells = 9\n[range]", "9 cells: a number from 0 to 8"),
        ("[range]", '[rules]\ngame = "spider"\n[range]', "unknown game 'spider'"),
        ('name = "small"', 'name = "a/b"', "name: 'a/b'"),
        ('name = "small"', "name = ", "is not TOML"),
        ('name = "small"', 'name = "small"\nstore = 3', "is not TOML"),
        ("first = 11_801", "first = 1" + "0" * 5_000, "is not TOML"),
        ("quick = [60, 400]", "quick = " + "[" * 5_000, "is not TOML"),
    ],
)
def test_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SMALL
    with pytest.raises(UsageError) as refused:
        loaded(tmp_path / "a.toml", SMALL.replace(old, new, 1))
    assert said in str(refused.value)


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't read the configuration"):
        load(tmp_path / "none.toml")


def test_only_appended_attempts_are_no_difference(tmp_path: Path) -> None:
    def changed(old: str, new: str) -> Config:
        return loaded(tmp_path / "b.toml", SMALL.replace(old, new))

    kept = loaded(tmp_path / "a.toml", SMALL)
    assert differences(kept, changed("100_000]", "100_000, 200_000]")) == []
    assert differences(kept, changed(", 100_000]", "]")) == ["search.deep"]
    assert differences(kept, changed("100_000]", "50_000]")) == ["search.deep"]
    assert differences(kept, changed("shard = 50", "shard = 300\nsolutions = true")) == [
        "store.shard",
        "store.solutions",
    ]


def test_a_configuration_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load(Path("ms-1m")).range == Range(1, 1_000_000)
    with pytest.raises(UsageError, match=r"ms-1\.toml"):
        load(Path("ms-1.toml"))
    for near in ("ms1m", "ms_1m", "ms-1m.tml"):
        with pytest.raises(UsageError, match=r"did you mean ms-1m\?"):
            load(Path(near))


def test_a_folder_of_results_in_place_of_a_configuration(make: Make) -> None:
    folder = make()
    with pytest.raises(UsageError, match=f"`run {folder}/config.toml --out {folder}`"):
        load(folder)


def test_a_file_comes_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ms-1m").write_text('name = "own"\n[range]\nfirst = 1\nlast = 2\n')
    assert load(Path("ms-1m")).name == "own"


def test_a_list_beside_its_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "census").mkdir()
    (tmp_path / "census" / "list.txt").write_text("# range 1 9\n")
    monkeypatch.chdir(tmp_path)
    config = loaded(tmp_path / "census" / "a.toml", SMALL.replace("results/known/unsolvable-10m.txt", "list.txt"))
    assert config.verify.known == str(tmp_path / "census" / "list.txt")
    assert own_list(config.verify.known) == tmp_path / "census" / "list.txt"
    monkeypatch.chdir(tmp_path / "census")
    assert load(Path("a.toml")) == config
    with pytest.raises(UsageError, match="null character"):
        own_list("a\0b")
