"""What a log tells of a run."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from pyarrow.fs import LocalFileSystem

from pipeline.places import Remote
from pipeline.store.sessions import Step, sessions


def logged(folder: Path, *events: tuple[int, str, dict[str, object]]) -> Path:
    """A folder with a log of (second, event, entries)."""
    folder.mkdir(exist_ok=True)
    lines = [
        json.dumps({"time": f"2026-01-02T03:{second // 60:02}:{second % 60:02}.000+00:00", "event": event, **entries})
        for second, event, entries in events
    ]
    (folder / "run.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def shard(first: int, last: int) -> dict[str, object]:
    return {"first": first, "last": last, "undecided": 0}


STOP: dict[str, object] = {"reason": "", "complete": True, "undecided": 0}


def test_stopped_and_gone_on(tmp_path: Path) -> None:
    folder = logged(
        tmp_path,
        (0, "start", {"host": "one"}),
        (10, "shard", shard(1, 100)),
        (14, "stop", {"reason": "time is up", "complete": False}),
        (60, "start", {"host": "two"}),
        (65, "shard", shard(101, 150)),
        (66, "shard", shard(151, 200)),
        (70, "again", shard(1, 100)),
        (71, "shard", shard(101, 150)),
        (72, "stop", STOP),
    )
    first, second = sessions(folder)
    assert (first.host, first.seconds, first.end, first.deals) == ("one", 14, "stopped: time is up", 100)
    assert (second.host, second.seconds, second.end, second.deals) == ("two", 12, "complete", 100)
    assert first.steps == [Step(0, 10, 100)]
    assert second.steps == [Step(0, 5, 50), Step(5, 6, 50)]
    assert [written.again for written in second.written] == [False, False, True, True]


def test_lines_that_no_run_writes(tmp_path: Path) -> None:
    folder = logged(tmp_path, (0, "start", {}), (5, "shard", shard(1, 100)))
    with (folder / "run.jsonl").open("a") as log:
        log.write('{"time": "2026-01-02T03:00:07+00:00", "event": "shard", "first": 1, "last": 1e999}\n')
        log.write('{"time": "0001-01-01T00:00:00+14:00", "event": "stop"}\n')
        log.write("[" * 100_000 + "\n")
        log.write('{"time": "2026-01-02T03:00:09", "event": "stop"}\n')  # without a zone: some time
    (session,) = sessions(folder)
    assert session.deals == 100


def test_ends(tmp_path: Path) -> None:
    start: tuple[int, str, dict[str, object]] = (0, "start", {})
    for events, end in (
        ([], "no end noted: killed, or still running"),
        ([(3, "shard", shard(1, 2))], "no end noted: killed, or still running"),
        ([(3, "contradiction", {"text": "deal 7"})], "contradiction"),
        ([(3, "stop", STOP | {"complete": False})], "ended, shards missing"),
        ([(3, "stop", STOP | {"undecided": 2})], "complete, deals undecided"),
    ):
        (session,) = sessions(logged(tmp_path, start, *events))
        assert session.end == end


def test_lines_that_a_crash_left(tmp_path: Path) -> None:
    folder = logged(tmp_path, (0, "start", {"host": "one"}), (5, "shard", shard(1, 100)))
    with (folder / "run.jsonl").open("ab") as file:
        file.write(b'{"time": "2026-01-\n[1]\n{"event": "shard"}\n{"time": 3, "event": "stop"}\n\xff\xfe\n')
    (session,) = sessions(folder)
    assert (session.seconds, session.deals) == (5, 100)


def test_shards_at_one_moment_are_one_step(tmp_path: Path) -> None:
    folder = logged(tmp_path, (0, "start", {}), (5, "shard", shard(1, 100)), (5, "shard", shard(101, 200)))
    assert sessions(folder)[0].steps == [Step(0, 5, 200)]


def test_in_a_store_a_shard_counts_when_it_was_last_written(tmp_path: Path) -> None:
    folder = logged(tmp_path, (0, "start", {"host": "one"}), (20, "stop", STOP))
    for name, second in (("deals-0000000001-0000000100.parquet", 5), ("deals-0000000101-0000000150.parquet", 15)):
        (folder / "deals").mkdir(exist_ok=True)
        (folder / "deals" / name).touch()
        time = datetime(2026, 1, 2, 3, 0, second, tzinfo=UTC).timestamp()
        os.utime(folder / "deals" / name, (time, time))
    (session,) = sessions(Remote("store://bucket", str(folder), LocalFileSystem()))
    assert session.steps == [Step(0, 5, 100), Step(5, 15, 50)]
    assert (session.seconds, session.end) == (20, "complete")


def test_no_log(tmp_path: Path) -> None:
    assert sessions(tmp_path) == []
    assert sessions(logged(tmp_path)) == []


def test_shards_of_no_deals_are_passed_over(tmp_path: Path) -> None:
    folder = logged(
        tmp_path,
        (0, "start", {"host": "one"}),
        (1, "shard", shard(1, 10**400)),
        (2, "shard", shard(7, 5)),
        (9, "stop", STOP),
    )
    (only,) = sessions(folder)
    assert only.deals == 0
