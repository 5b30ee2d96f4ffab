"""Ranges cut into shards and tasks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.config import Config, Range, Store
from pipeline.errors import UsageError
from pipeline.shards import TASK, WHOLE, Part, Shard, Task, part_named, shard_of, shards

LAST = 2**33 - 1


@st.composite
def censuses(draw: st.DrawFn) -> Config:
    first = draw(st.integers(1, LAST))
    size = draw(st.integers(1, 20_000))
    last = draw(st.integers(first, min(LAST, first + 20 * size)))
    return Config("any", Range(first, last), store=Store(size))


@given(censuses())
def test_shards_and_tasks_cover_the_range_once(config: Config) -> None:
    next_deal = config.range.first
    for shard in shards(config):
        assert (shard.first - config.range.first) % config.store.shard == 0
        for task in shard.tasks():
            assert task.first == next_deal
            assert 1 <= task.count <= TASK
            assert shard_of(config, task.first) == shard_of(config, task.first + task.count - 1) == shard
            next_deal += task.count
        assert next_deal == shard.last + 1
    assert next_deal == config.range.last + 1


@given(st.integers(1, LAST), st.integers(2, TASK))
def test_halves_make_up_the_task(first: int, count: int) -> None:
    one, other = Task(first, count).halves()
    assert one.first == first
    assert other.first == first + one.count
    assert one.count + other.count == count
    assert min(one.count, other.count) >= 1


def test_names_sort_as_deals_do() -> None:
    config = Config("full", Range(1, LAST), store=Store(5_000_000))
    names = [shard.name for shard in shards(config)]
    assert names == sorted(names)
    assert names[-1] == "deals-8585000001-8589934591.parquet"


@given(censuses(), st.integers(1, 30))
def test_parts_share_the_shards_out(config: Config, of: int) -> None:
    parts = [shards(config, Part(number, of)) for number in range(1, of + 1)]
    assert sorted(shard for part in parts for shard in part) == shards(config, WHOLE)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_a_part_takes_every_nth_shard() -> None:
    config = Config("ten", Range(1, 10), store=Store(2))
    assert shards(config, part_named("2/3")) == [Shard(3, 4), Shard(9, 10)]


@pytest.mark.parametrize("text", ["", "3", "0/3", "4/3", "-1/3", "1/0", "1/3/5", "a/b", "1.5/3", "1/" + "9" * 5_000])
def test_no_parts(text: str) -> None:
    with pytest.raises(UsageError, match="K/N is needed, with K from 1 to N"):
        part_named(text)
