"""A census as a TOML file, read into frozen dataclasses; nothing in it is taken on trust."""

import difflib
import json
import re
import reprlib
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, get_type_hints

from kernels.dealing import FIRST_DEAL, LAST_DEAL
from kernels.decide import Limits
from kernels.rules import Rules, rules_of
from kernels.search.search import MOST_BUDGET
from pipeline.errors import UsageError
from pipeline.places import Place, local
from pipeline.texts import read_text

CHECKOUT = Path(__file__).parent.parent
PROJECT = CHECKOUT if (CHECKOUT / "pyproject.toml").is_file() else Path(sys.prefix, "share", "freecell-census")
"""Where configurations, known lists and published summaries are: in a checkout, or where pip installed them."""

MOST_POSITIONS = 2**32 - 1
"""Positions of all attempts together fit the uint32 column of the results."""
MOST_ATTEMPTS = 255
MOST_QUICK = 16
"""Quick attempts are compiled together, in a time that grows with their number."""
LARGEST_SHARD = 10_000_000
MOST_CONFIGURATION = 1_000_000
"""Bytes of a file."""
MOST_SHARDS = 1_000_000
"""Files in a folder that file systems and readers still bear."""
GAME_NAMES = {"freecell": "FreeCell", "bakers": "Baker's Game"}


@dataclass(frozen=True)
class Range:
    """Deal numbers, both ends included."""

    first: int
    last: int

    def __post_init__(self) -> None:
        _within("range.first", self.first, FIRST_DEAL, LAST_DEAL)
        _within("range.last", self.last, self.first, LAST_DEAL)


@dataclass(frozen=True)
class Game:
    """The table [rules]: which game, with how many cells, and whether each deal is to get by with as few as it can."""

    game: str = "freecell"
    cells: int = 4
    fewest: bool = False

    def __post_init__(self) -> None:
        try:
            self.kernel_rules()
        except ValueError as error:
            raise UsageError(f"rules: {error}") from error

    def kernel_rules(self) -> Rules:
        """The rules as kernels take them."""
        return rules_of(self.game, self.cells)

    def described(self) -> dict[str, Any]:
        """As summaries have it."""
        return {"game": self.game, "cells": self.cells, **({"fewest": True} if self.fewest else {})}

    def __str__(self) -> str:
        """As a sentence names it."""
        most = "at most " if self.fewest else ""
        return f"{GAME_NAMES[self.game]} with {most}{self.cells} cell{'s' * (self.cells != 1)}"


@dataclass(frozen=True)
class Search:
    """Budgets in positions: to expand in each attempt of the quick and the deep pass, to hold in an exhaustion."""

    quick: tuple[int, ...] = (450, 870, 15_880, 30_000)
    deep: tuple[int, ...] = (100_000, 150_000, 3_000_000, 50_000_000)
    closure: int = 200_000_000
    closure_safe: int = 2_000_000_000

    def __post_init__(self) -> None:
        _within("number of attempts in search.quick", len(self.quick), 1, MOST_QUICK)
        for key, budgets in (("search.quick", self.quick), ("search.deep", self.deep)):
            for budget in budgets:
                _within(key, budget, 1, MOST_BUDGET)
        if list(self.budgets) != sorted(set(self.budgets)):
            raise UsageError(f"search: each attempt needs more positions than the one before: {list(self.budgets)}")
        if sum(self.budgets) > MOST_POSITIONS:
            raise UsageError(f"search: all attempts together may take {MOST_POSITIONS} positions")
        _within("number of attempts in search", len(self.budgets), 1, MOST_ATTEMPTS)
        _within("search.closure", self.closure, 1, MOST_POSITIONS)
        _within("search.closure_safe", self.closure_safe, 1, MOST_POSITIONS)

    @property
    def limits(self) -> Limits:
        """How many positions exhaustions may have."""
        return Limits(self.closure, self.closure_safe)

    @property
    def budgets(self) -> tuple[int, ...]:
        """Positions of every attempt, quick and deep; attempt `a` is the entry `a - 1`."""
        return self.quick + self.deep


@dataclass(frozen=True)
class Store:
    """How results are kept: deals a file, and whether with the solutions."""

    shard: int = 250_000
    solutions: bool = False

    def __post_init__(self) -> None:
        _within("store.shard", self.shard, 1, LARGEST_SHARD)


@dataclass(frozen=True)
class Verify:
    """What `verify` compares with: a list of unsolvable deals, or nothing ("")."""

    known: str = ""


@dataclass(frozen=True)
class Config:
    """One census."""

    name: str
    range: Range
    rules: Game = field(default_factory=Game)
    search: Search = field(default_factory=Search)
    store: Store = field(default_factory=Store)
    verify: Verify = field(default_factory=Verify)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", self.name):
            raise UsageError(
                f"name: {_shown(self.name)} has to do as a folder's name: letters, digits, dots and dashes"
            )
        deals = self.range.last - self.range.first + 1
        if deals > MOST_SHARDS * self.store.shard:
            least = -(-deals // MOST_SHARDS)
            raise UsageError(
                f"store.shard: {self.store.shard} makes more than {MOST_SHARDS:,} files of this range: at least {least}"
            )


def load(path: Place) -> Config:
    """Read a configuration: a file or, where there is no such file, one of the project's by its name, as `ms-1m`.

    Raises
    ------
    UsageError
        For a file that can't be read or isn't TOML, unknown or missing keys, values of another type or out of range.
    """
    path = _by_name(path)
    try:
        table = tomllib.loads(read_text(path, most=MOST_CONFIGURATION))
    except OSError as error:
        raise UsageError(f"can't read the configuration {path}: {error.strerror}{_meant_by(path)}") from error
    except UsageError:
        raise
    except (ValueError, RecursionError) as error:  # ValueError: also an over-long integer; RecursionError: deep nesting
        raise UsageError(f"{path} is not TOML: {error}") from error
    try:
        config: Config = _build(Config, table, "")
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    return _with_own_list(config, path)


def _with_own_list(config: Config, path: Place) -> Config:
    """The configuration with the whole path of a list that lies beside it, so that it is found from everywhere."""
    known = config.verify.known
    if not known or "\0" in known or not isinstance(path, Path):
        return config  # a bad path is refused later, by the command that needs the list
    beside = path.absolute().parent / local(known)
    return replace(config, verify=Verify(str(beside))) if beside.is_file() else config


def with_fewest_cells(config: Config) -> Config:
    """The census that finds the fewest cells for the same deals, under a name of its own."""
    if config.rules.fewest:
        return config
    return replace(config, name=f"{config.name}-fewest", rules=replace(config.rules, fewest=True))


def _by_name(path: Place) -> Place:
    if isinstance(path, Path) and path.name == str(path) and not path.is_file():
        own = PROJECT / "configs" / f"{path}.toml"
        return own if own.is_file() else path
    return path


def _meant_by(path: Place) -> str:
    """What may be meant: by the folder of a run, its configuration; by a name, one of the project's."""
    if not isinstance(path, Path):
        return ""
    if (path / "config.toml").is_file():
        return f"; `run {path / 'config.toml'} --out {path}` goes on there"
    if path.name != str(path) or path.exists():
        return ""
    names = sorted(own.stem for own in (PROJECT / "configs").glob("*.toml"))
    near = difflib.get_close_matches(path.stem, names, n=1)
    return f"; did you mean {near[0]}?" if near else f"; by name there are {', '.join(names)}"


def dump(config: Config) -> str:
    """The configuration as TOML, every key written out."""
    lines = []
    for key, value in asdict(config).items():
        if isinstance(value, dict):
            lines += ["", f"[{key}]", *(f"{name} = {_literal(entry)}" for name, entry in value.items())]
        else:
            lines.append(f"{key} = {_literal(value)}")
    return "\n".join(lines) + "\n"


def differences(kept: Config, new: Config) -> list[str]:
    """The keys in which `new` may not go on with results of `kept`: all that differ, but for appended deep attempts."""
    before, after = dict(_flat(kept)), dict(_flat(new))
    if new.search.deep[: len(kept.search.deep)] == kept.search.deep:
        after["search.deep"] = before["search.deep"]
    return [key for key in before if before[key] != after[key]]


def _flat(config: Config) -> Iterator[tuple[str, Any]]:
    for key, value in asdict(config).items():
        if isinstance(value, dict):
            yield from ((f"{key}.{name}", entry) for name, entry in value.items())
        else:
            yield key, value


def _build(kind: Any, table: dict[str, Any], prefix: str) -> Any:
    """A dataclass from a TOML table; `prefix` is "" or the table's name with a dot."""
    types = get_type_hints(kind)
    for key in table:
        if key not in types:
            raise UsageError(f"unknown key {_shown(prefix + key)}: {_meant(key, list(types), prefix)}")
    for entry in fields(kind):
        if entry.name not in table and _is_required(entry):
            raise UsageError(f"the key {prefix + entry.name!r} is missing")
    return kind(**{key: _value(types[key], value, prefix + key) for key, value in table.items()})


def _meant(key: str, allowed: list[str], prefix: str) -> str:
    """What an unknown key may be meant as: one like it in its table, the same in another table, or any of its table."""
    if near := difflib.get_close_matches(key, allowed, n=1):
        return f"did you mean {prefix + near[0]!r}?"
    kinds = get_type_hints(Config)
    if tables := [table for table in kinds if is_dataclass(kinds[table]) and key in get_type_hints(kinds[table])]:
        return f"did you mean {f'{tables[0]}.{key}'!r}?"
    return f"one of {', '.join(prefix + name for name in allowed)}"


def _is_required(entry: Any) -> bool:
    return entry.default is entry.default_factory  # both are MISSING


def _value(kind: Any, value: Any, key: str) -> Any:
    if is_dataclass(kind):
        if not isinstance(value, dict):
            raise UsageError(f"{key}: a table [{key}] is needed, not {_shown(value)}")
        return _build(kind, value, key + ".")
    if kind == tuple[int, ...]:
        if not isinstance(value, list):
            raise UsageError(f"{key}: a list of numbers is needed, not {_shown(value)}")
        return tuple(_value(int, entry, key) for entry in value)
    if type(value) is not kind:
        names = {int: "a whole number", str: "a text", bool: "true or false"}
        raise UsageError(f"{key}: {names[kind]} is needed, not {_shown(value)}")
    return value


def _within(key: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise UsageError(f"{key}: {_shown(value)} is not from {low} to {high}")


def _shown(value: object) -> str:
    """A value for a message: TOML in hexadecimal has numbers of more digits than Python writes."""
    try:
        return reprlib.repr(value)
    except ValueError:
        return "a number that is too long to show"


def _literal(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int():
            return f"{value:_}"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML's escapes, but for one
        case tuple():
            return "[" + ", ".join(map(_literal, value)) + "]"
    raise TypeError(f"no TOML for {value!r}")


def own_list(name: str) -> Path | None:
    """The list that a configuration names, if any: from the working folder or, where that has none, the project's."""
    if not name:
        return None
    path = local(name)
    return path if path.exists() else PROJECT / path
