"""Two results compared deal by deal: what contradicts, what changed, what is missing on a side."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.atomic import replacing
from pipeline.errors import UsageError
from pipeline.evidence.chunks import CELLS, FIGURES, NOTHING, Chunk, Side, Stretch
from pipeline.evidence.diff_sides import side
from pipeline.evidence.ranges import Range
from pipeline.places import Place, place
from pipeline.progress import Progress, counted
from pipeline.signals import interruptible
from pipeline.store.outputs import allowed, parquet_kind
from pipeline.store.rows import SOLVED, UNDECIDED, UNSOLVABLE, VERDICTS, Proof

EQUAL, DIFFER = 0, 1
"""Exit statuses, those of diff(1)."""

SHOWN = 10
"""Rows, or ranges, of each kind that are printed."""

KINDS = ("contradiction", "changed", "only in A", "only in B", "figures")
CONTRADICTION, CHANGED, ONLY_A, ONLY_B, FIGURES_DIFFER = range(len(KINDS))


_FIRST_COLUMNS = ("deal", "kind", "verdict_a", "verdict_b")
DIFFERENCES_FILE = parquet_kind("a file of differences", _FIRST_COLUMNS)


class Found(NamedTuple):
    """Rows that differ in one way, A's and B's; one of the two is empty where the deals are missing there."""

    kind: int
    a: Chunk
    b: Chunk


class Tally:
    """What differs so far: counts, and the first of each kind.

    Attributes
    ----------
    compared : int
        Deals that both sides have.
    counts : list of int
        Deals by kind.
    figures : dict of str to int
        Deals by figure that differs.
    """

    def __init__(self, figures: Sequence[str]) -> None:
        self.compared = 0
        self.counts = [0] * len(KINDS)
        self.figures = dict.fromkeys(figures, 0)
        self._first: list[list[dict[str, Any]]] = [[] for _ in KINDS]
        self._missing: dict[int, list[Range]] = {ONLY_A: [], ONLY_B: []}

    @property
    def status(self) -> int:
        """Whether there is any difference."""
        return DIFFER if any(self.counts) else EQUAL

    def add(self, found: Found) -> None:
        """Count rows that differ, and keep the first."""
        there = found.b if found.kind == ONLY_B else found.a
        self.counts[found.kind] += len(there.deals)
        if found.kind in self._missing:
            _extend(self._missing[found.kind], _ranges(there.deals))
            return
        if found.kind == FIGURES_DIFFER:
            for name in self.figures:
                self.figures[name] += int(np.count_nonzero(found.a.figures[name] != found.b.figures[name]))
        first = self._first[found.kind]
        for index in range(min(len(there.deals), SHOWN - len(first))):
            first.append(_row(found, index, tuple(self.figures)))

    def add_stretch(self, kind: int, stretch: Stretch) -> None:
        """Count deals that one side alone has."""
        self.counts[kind] += stretch.deals
        _extend(self._missing[kind], [(stretch.first, stretch.last)])

    def as_json(self) -> dict[str, Any]:
        """The counts and the first rows, contradictions first."""
        return {
            "compared": self.compared,
            "contradictions": self.counts[CONTRADICTION],
            "changed": self.counts[CHANGED],
            "only_a": self.counts[ONLY_A],
            "only_b": self.counts[ONLY_B],
            "figures": {"deals": self.counts[FIGURES_DIFFER], **self.figures} if self.figures else None,
            "first": {
                "contradictions": self._first[CONTRADICTION],
                "changed": self._first[CHANGED],
                "only_a": self._missing[ONLY_A][:SHOWN],
                "only_b": self._missing[ONLY_B][:SHOWN],
                "figures": self._first[FIGURES_DIFFER],
            },
        }

    def lines(self) -> list[str]:
        """The same for a person."""
        lines = []
        for kind, sentence in (
            (CONTRADICTION, f"CONTRADICTIONS, {self._contradicting}"),
            (CHANGED, "decided in one, undecided in the other"),
            (FIGURES_DIFFER, "same verdict, other figures"),
        ):
            if self.counts[kind]:
                lines += [f"{sentence}: {counted(self.counts[kind], 'deal')}", *map(_row_text, self._first[kind])]
                lines += _more(self.counts[kind] - len(self._first[kind]))
            if kind == CHANGED:
                lines += self._missing_text(ONLY_A, "A") + self._missing_text(ONLY_B, "B")
        if self.counts[FIGURES_DIFFER]:
            lines.append("  " + ", ".join(f"{name}: {count:,}" for name, count in self.figures.items()))
        named = "fewest cells" if list(self.figures) == [CELLS] else "figures"
        what = f"verdicts and {named}" if self.figures else "verdicts"
        differing = sum(self.counts[kind] for kind in (CONTRADICTION, CHANGED, FIGURES_DIFFER))
        said = "differences as above" if differing else f"equal {what}"
        if self.status and not differing:
            said += "; others are on one side only"
        return [*lines, f"{counted(self.compared, 'deal')} compared: {said}"]

    @property
    def _contradicting(self) -> str:
        if CELLS in self.figures:
            return "other verdicts or other numbers of cells, though both are decided"
        return "solved on one side and unsolvable on the other"

    def _missing_text(self, kind: int, where: str) -> list[str]:
        if not self.counts[kind]:
            return []
        ranges = self._missing[kind]
        lines = [f"only in {where}: {counted(self.counts[kind], 'deal')}"]
        lines += [f"  {first}" if first == last else f"  {first}..{last}" for first, last in ranges[:SHOWN]]
        return lines + (["  and more; --out F.parquet has all"] if len(ranges) > SHOWN else [])


class Diff(NamedTuple):
    """How two results differ.

    Attributes
    ----------
    a, b : Side
        What was compared.
    tally : Tally
        What differs.
    not_compared : tuple of str
        Figures that were asked for and that one side alone has.
    """

    a: Side
    b: Side
    tally: Tally
    not_compared: tuple[str, ...] = ()

    @property
    def status(self) -> int:
        """EQUAL or DIFFER."""
        return self.tally.status

    def lines(self) -> list[str]:
        """The answer for a person."""
        sides = zip("AB", (self.a, self.b), strict=True)
        told = [f"{mark}: {one.name}, {_deals_of(one)}" for mark, one in sides]
        for name in self.not_compared:
            bare = self.b if name in self.a.figures else self.a
            told.append(f"{name} was not compared: {bare.name} has no such column")
        return [*told, *self.tally.lines()]

    def as_json(self) -> dict[str, Any]:
        """The answer as a JSON object."""
        alone = {"not_compared": list(self.not_compared)}
        missing = {"missing_a": self.a.missing, "missing_b": self.b.missing}
        return {"a": self.a.name, "b": self.b.name, **missing, **self.tally.as_json(), **alone, "status": self.status}


def _deals_of(one: Side) -> str:
    unfinished = f"; {one.missing:,} of its census are not there yet" if one.missing else ""
    return f"{counted(one.rows, 'deal')}{unfinished}"


@interruptible()
def diff(a: str | Place, b: str | Place, figures: bool = False, out: str | Place | None = None) -> Diff:
    """Compare two results deal by deal.

    Parameters
    ----------
    a, b : str, Path or Remote
        Each a folder, a Parquet file, or a list of unsolvable deals.
    figures : bool
        Whether positions, moves, closures and attempts are compared, too, where verdicts agree.
    out : str, Path or Remote, optional
        Parquet file for all that differs.

    Raises
    ------
    UsageError
        If a side can't be read, or they can't be compared, or `out` would take the place of one.
    """
    left, right = side(a), side(b)
    kept = None if out is None else allowed(place(out), DIFFERENCES_FILE, [*left.files, *right.files])
    compared = _comparable(left, right, figures)
    tally = Tally(compared)
    with ExitStack() as stack:
        keep = stack.enter_context(_Keeper(kept, compared)) if kept else None
        progress = stack.enter_context(
            closing(Progress("comparing", left.rows + right.rows, unit="rows", left_over=""))
        )
        spans = (None, None) if keep else (right.spans, left.spans)  # a file gets every row
        for here, there in aligned(left.chunks(compared, spans[0]), right.chunks(compared, spans[1])):
            if isinstance(here, Stretch) or isinstance(there, Stretch):
                kind, stretch = (ONLY_A, here) if isinstance(here, Stretch) else (ONLY_B, there)
                assert isinstance(stretch, Stretch)
                tally.add_stretch(kind, stretch)
                progress.advance(stretch.deals)
                continue
            for found in differences(here, there, tally):
                tally.add(found)
                if keep:
                    keep.add(found)
            progress.advance(len(here.deals) + len(there.deals))
    alone = [name for name in FIGURES if (name in left.figures) != (name in right.figures)] if figures else []
    return Diff(left, right, tally, tuple(alone))


def _comparable(a: Side, b: Side, figures: bool) -> tuple[str, ...]:
    if a.rules and b.rules and a.rules != b.rules:
        raise UsageError(f"{a.name} is of {a.rules}, {b.name} of {b.rules}: different games can't be compared")
    both = tuple(name for name in a.figures if name in b.figures and (figures or name == CELLS))
    if figures and not both:
        bare = b.name if a.figures else a.name
        raise UsageError(f"--figures: {bare} has no figures, only verdicts; compare without --figures")
    return both


Rows: TypeAlias = Chunk | Stretch


def aligned(a: Iterator[Rows], b: Iterator[Rows]) -> Iterator[tuple[Rows, Rows]]:
    """Pairs of chunks of the same stretch of deal numbers; one of a pair may be empty. A Stretch stands alone."""
    left, right = next(a, NOTHING), next(b, NOTHING)
    while left is not NOTHING or right is not NOTHING:
        if right is NOTHING or isinstance(left, Stretch):
            yield left, NOTHING
            left = next(a, NOTHING)
        elif left is NOTHING or isinstance(right, Stretch):
            yield NOTHING, right
            right = next(b, NOTHING)
        else:
            end = min(left.deals[-1], right.deals[-1])
            in_left, in_right = (int(np.searchsorted(chunk.deals, end, "right")) for chunk in (left, right))
            yield left.part(slice(in_left)), right.part(slice(in_right))
            left = left.part(slice(in_left, None)) if in_left < len(left.deals) else next(a, NOTHING)
            right = right.part(slice(in_right, None)) if in_right < len(right.deals) else next(b, NOTHING)


def differences(left: Chunk, right: Chunk, tally: Tally) -> Iterator[Found]:
    """What differs in a pair of chunks; adds the deals of both to `tally.compared`."""
    if not np.array_equal(left.deals, right.deals):
        _, in_left, in_right = np.intersect1d(left.deals, right.deals, assume_unique=True, return_indices=True)
        only_left, only_right = _without(left, in_left), _without(right, in_right)
        if len(only_left.deals):
            yield Found(ONLY_A, only_left, NOTHING)
        if len(only_right.deals):
            yield Found(ONLY_B, NOTHING, only_right)
        left, right = left.part(in_left), right.part(in_right)
    if not len(left.deals):
        return  # also after a side has ended: its empty rows have no figures
    tally.compared += len(left.deals)
    others = left.verdicts != right.verdicts
    open_ = (left.verdicts == UNDECIDED) | (right.verdicts == UNDECIDED)
    unlike = np.zeros(len(others), bool)
    for name in left.figures:
        unlike |= left.figures[name] != right.figures[name]
    if CELLS in left.figures:
        others |= ~open_ & (left.figures[CELLS] != right.figures[CELLS])
    for kind, rows in (
        (CONTRADICTION, others & ~open_),
        (CHANGED, others & open_),
        (FIGURES_DIFFER, unlike & ~others),
    ):
        if rows.any():
            yield Found(kind, left.part(rows), right.part(rows))


def _without(chunk: Chunk, indices: npt.NDArray[np.intp]) -> Chunk:
    kept = np.ones(len(chunk.deals), bool)
    kept[indices] = False
    return chunk.part(kept)


class _Keeper:
    """Writes all that differs into a Parquet file, in order of stretches of deals."""

    def __init__(self, path: Place, figures: Sequence[str]) -> None:
        self._path, self._figures = path, figures
        words = pa.dictionary(pa.int8(), pa.string())
        columns = dict(zip(_FIRST_COLUMNS, (pa.uint64(), words, words, words), strict=True))
        sides = {f"{name}_{where}": pa.uint64() for name in figures for where in "ab"}
        self._schema = pa.schema(columns | sides)
        self._stack = ExitStack()

    def __enter__(self) -> "_Keeper":
        with ExitStack() as stack:
            file = stack.enter_context(replacing(self._path))
            self._writer = stack.enter_context(pq.ParquetWriter(file, self._schema, compression="zstd"))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def add(self, found: Found) -> None:
        """Write rows."""
        there = found.b if found.kind == ONLY_B else found.a
        count = len(there.deals)
        kinds = pa.DictionaryArray.from_arrays(pa.array(np.full(count, found.kind, np.int8)), pa.array(KINDS))
        columns = [pa.array(there.deals), kinds]
        columns += [_verdicts(chunk, count) for chunk in (found.a, found.b)]
        for name in self._figures:
            columns += [_numbers(chunk, name, count) for chunk in (found.a, found.b)]
        self._writer.write_table(pa.table(columns, schema=self._schema))


def _verdicts(chunk: Chunk, count: int) -> Any:
    codes = pa.array(chunk.verdicts.astype(np.int8)) if len(chunk.deals) else pa.nulls(count, pa.int8())
    return pa.DictionaryArray.from_arrays(codes, pa.array(VERDICTS))


def _numbers(chunk: Chunk, name: str, count: int) -> Any:
    if not len(chunk.deals):
        return pa.nulls(count, pa.uint64())
    return pa.array(chunk.figures[name].astype(np.uint64), mask=_nulls(chunk, name))


def _value(chunk: Chunk, name: str, index: int) -> int | None:
    return None if _nulls(chunk, name)[index] else int(chunk.figures[name][index])


def _nulls(chunk: Chunk, name: str) -> npt.NDArray[np.bool_]:
    """Where a figure is null: 0 stands for it, but a deal that is solved may need no cell."""
    nulls: npt.NDArray[np.bool_] = chunk.verdicts != SOLVED if name == CELLS else chunk.figures[name] == 0
    return nulls


def _ranges(deals: npt.NDArray[np.uint64]) -> list[Range]:
    """Deals as ranges, one more of them than is shown."""
    ends = np.flatnonzero(np.append(deals[1:] != deals[:-1] + np.uint64(1), True))
    begins = np.append(0, ends[:-1] + 1)
    pairs = zip(begins[: SHOWN + 2].tolist(), ends[: SHOWN + 2].tolist(), strict=True)
    return [(int(deals[begin]), int(deals[end])) for begin, end in pairs]


def _extend(ranges: list[Range], later: Sequence[Range]) -> None:
    """Add later ranges; one more than is shown is kept, so that the text can say "and more"."""
    for first, last in later:
        if ranges and ranges[-1][1] + 1 == first:
            ranges[-1] = (ranges[-1][0], last)
        elif len(ranges) <= SHOWN:
            ranges.append((first, last))


def _row(found: Found, index: int, figures: Sequence[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"deal": int(found.a.deals[index])}
    for where, chunk in (("a", found.a), ("b", found.b)):
        row[where] = VERDICTS[chunk.verdicts[index]]
    for name in figures:
        values = [_value(chunk, name, index) for chunk in (found.a, found.b)]
        if values[0] != values[1]:
            row[name] = values
    if row["a"] == row["b"] == VERDICTS[UNSOLVABLE] and "closure" in row:
        grades = [Proof(plain or 0, 0).grade for plain in row["closure"]]
        row |= {"grade": grades} if grades[0] != grades[1] else {}
    return row


def _row_text(row: dict[str, Any]) -> str:
    figures = [f"{name} {' | '.join(map(_shown, row[name]))}" for name in row if isinstance(row[name], list)]
    return f"  {row['deal']}: {row['a']} | {row['b']}{''.join(', ' + figure for figure in figures)}"


def _shown(value: int | str | None) -> str:
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else value


def _more(count: int) -> list[str]:
    return [f"  and {count:,} more; --out F.parquet has all"] if count else []
