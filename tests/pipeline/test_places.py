"""Results in a store: a real S3 server on the loopback."""

import io
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pipeline import atomic
from pipeline.cli import main
from pipeline.config import load
from pipeline.errors import UsageError
from pipeline.places import Place, Remote, Unreachable, place
from pipeline.store import log, parquet
from pipeline.store.folder import is_active, owned, written
from pipeline.store.log import LOG, START, STOP
from tests.conftest import Make, digests
from tests.pipeline.commands import Undisturbed, command, sabotaged

Read = pytest.CaptureFixture[str]

SERVER = "import sys; from moto.server import main; main(['-H', '127.0.0.1', '-p', '0'])"


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a server that has nothing yet; credentials are in the environment."""
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("w") as file, pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ACCESS_KEY_ID", "anybody")
        environment.setenv("AWS_SECRET_ACCESS_KEY", "anything")
        environment.setenv("AWS_EC2_METADATA_DISABLED", "true")
        with subprocess.Popen([sys.executable, "-c", SERVER], stdout=file, stderr=file) as server:
            while not (said := re.search(r"Running on (\S+)", log.read_text())):
                assert server.poll() is None, log.read_text()
                time.sleep(0.05)
            yield said[1]
            server.kill()


@pytest.fixture
def bucket(endpoint: str, request: pytest.FixtureRequest) -> str:
    """The URL of a bucket that isn't there; without a folder in it, and without leave to make it."""
    name = request.node.name.translate(str.maketrans("_[]", "---")).rstrip("-")[:60]
    return f"s3://{name}{{}}?endpoint_override={endpoint}"


@pytest.fixture
def url(bucket: str) -> str:
    """A folder that isn't there, in a bucket that may be made."""
    return bucket.format("/a/result") + "&allow_bucket_creation=true"


def fetched(there: Place, here: Path) -> Path:
    """A copy of a folder of a store."""
    here.mkdir()
    for path in there.iterdir():
        if path.is_dir():
            fetched(path, here / path.name)
        else:
            (here / path.name).write_bytes(path.read_bytes())
    return here


def put(here: Path, url: str) -> Place:
    """A copy of a folder in a store."""
    there = place(url)
    there.mkdir(parents=True, exist_ok=True)
    for path in here.rglob("*"):
        if path.is_file():
            folder = there if path.parent == here else there / path.parent.name
            with atomic.replacing(folder / path.name) as file:
                file.write(path.read_bytes())
    return there


@pytest.mark.parametrize(("text", "path"), [("a/b", "a/b"), ("file:///tmp/a%20b", "/tmp/a b"), ("a:b", "a:b")])
def test_local_places_are_paths(text: str, path: str) -> None:
    assert place(text) == Path(path)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("gopher://a/b", "Unrecognized filesystem type"),
        ("s3://a/b?region=x&colour=red", "Unexpected query parameter"),
        ("file://elsewhere/a", "Unsupported hostname"),
        ("s3://?region=x", "names no folder"),
    ],
)
def test_urls_that_open_nothing(url: str, said: str, capsys: Read) -> None:
    with pytest.raises(SystemExit) as left:
        main(["status", url])
    assert left.value.code == 2
    assert said in capsys.readouterr().err


def test_passwords_are_not_shown() -> None:
    there = place("s3://key:secret@bucket/a?region=x")
    assert str(there / "b") == "s3://key:***@bucket/a/b?region=x"
    with pytest.raises(UsageError, match=r"key:\*\*\*@bucket"):
        place("s3://key:secret@bucket/a?colour=red")


@pytest.mark.parametrize(
    "text", ["s3://K:SECRET@[b/x", "s3://K:SECRET@b c/x", "s3://K:SEC/RET@b c/x", "no://K:SECRET@b"]
)
def test_nor_are_those_of_malformed_urls(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        place(text)
    assert "RET" not in str(refused.value)
    assert "K:***@" in str(refused.value)


def test_home_in_a_path_that_no_shell_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert place("~/results") == tmp_path / "results"
    with pytest.raises(UsageError, match="give the whole path"):
        place("~nobody-here/results")
    with pytest.raises(UsageError, match="null character"):
        place("a\0b")


def test_a_folder_of_a_store(url: str) -> None:
    there = place(url)
    assert isinstance(there, Remote)
    assert not there.is_dir()
    there.mkdir(parents=True, exist_ok=True)
    there.mkdir(parents=True, exist_ok=True)
    with atomic.replacing(there / "a") as file:
        file.write(b"first")
    (there / "b" / "c").write_bytes(b"")
    assert there.is_dir()
    assert sorted(entry.name for entry in there.iterdir()) == ["a", "b"]
    assert (there / "b").is_dir()
    assert (there / "a").is_file()
    assert (there / "a").read_text(encoding="utf-8") == "first"
    with pytest.raises(FileNotFoundError):
        (there / "d").read_bytes()


def test_a_failure_leaves_the_old_object(url: str) -> None:
    there = place(url)
    there.mkdir(parents=True, exist_ok=True)
    with atomic.replacing(there / "a") as file:
        file.write(b"old")

    def interrupted() -> None:
        with atomic.replacing(there / "a") as file:
            file.write(b"ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (there / "a").read_bytes() == b"old"


def test_a_store_that_fails_is_no_corrupt_shard(make: Make, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    there = put(make(), url)
    shard = written(there)[0]

    class Failing:
        def __init__(self, stream: object, after: int) -> None:
            self._stream, self._left = stream, after

        def __getattr__(self, name: str) -> object:
            return getattr(self._stream, name)

        def readinto(self, buffer: object) -> int:
            self._left -= 1
            if self._left < 0:
                raise OSError("the line is cut")
            return self._stream.readinto(buffer)

    whole = Remote.open
    for look, after in ((parquet.footer, 0), (parquet.read, 0), (parquet.read, 3)):

        def opened_for_a_while(path: Remote, mode: str, after: int = after) -> object:
            file = whole(path, mode)
            file._stream = Failing(file._stream, after)
            return file

        monkeypatch.setattr(Remote, "open", opened_for_a_while)
        with pytest.raises(Unreachable, match="the line is cut"):
            look(there, shard)


@pytest.mark.parametrize("number", [4, pytest.param(10, marks=pytest.mark.long)])
def test_killed_and_gone_on_with(
    small: Path,
    tmp_path: Path,
    undisturbed: Undisturbed,
    url: str,
    number: int,
) -> None:
    assert sabotaged("kill_parent", number, small, "--out", url, "--workers", 2).returncode == -9
    stopped = command("run", small, "--out", url, "--max-time", "0s")
    assert stopped.returncode == 3, stopped.stderr
    assert "should it still be running, it ends when it next writes" in stopped.stderr
    assert f"to go on: freecell-census run {small} --out '{url}'" in stopped.stderr
    resumed = command("run", small, "--out", url, "--workers", 2)
    assert resumed.returncode == undisturbed.status, resumed.stderr
    assert "still be running" not in resumed.stderr
    here = fetched(place(url), tmp_path / "here")
    assert digests(here) == undisturbed.shards
    assert sorted(path.name for path in here.iterdir()) == ["config.toml", "deals", LOG]
    events = [json.loads(line)["event"] for line in (here / LOG).read_text().splitlines()]
    assert events == [START, START, STOP, START, STOP]


def test_commands_over_a_result(make: Make, url: str, capsys: Read) -> None:
    here = make()
    there = put(here, url)
    for arguments in (["status"], ["verify"], ["export", "--verdict", "unsolvable"]):
        said = []
        for folder in (str(here), url):
            assert main([*arguments, folder]) == 0
            said.append(capsys.readouterr().out)
        assert said[0] == said[1]
    assert main(["results", url]) == 0
    assert json.loads((there / "summary.json").read_bytes())["sha256"] == digests(here)


def test_another_configuration_is_refused(make: Make, url: str, small: Path, capsys: Read) -> None:
    put(make(), url)
    small.write_text(small.read_text().replace("shard = 50", "shard = 25"))
    for dry in ([], ["--dry-run"]):
        assert main(["run", str(small), "--out", url, *dry]) == 2
        assert "another configuration (store.shard)" in capsys.readouterr().err


def test_the_run_that_began_last_has_the_folder(url: str, small: Path) -> None:
    there, config = place(url), load(small)
    with owned(there, config) as (first, _):
        assert is_active(there) is False
        first.write(START, pid=1)
        assert is_active(there) is None
        first.claim()
        with owned(there, config) as (second, _):
            second.write(START, pid=2)
            for say in (first.claim, lambda: first.write(STOP)):
                with pytest.raises(UsageError, match="another run has begun"):
                    say()
            second.claim()
            second.write(STOP)
    assert is_active(there) is False
    assert [event["event"] for event in log.events_of_last_run(there)] == [START, STOP]


def test_bucket_that_is_not_there(bucket: str, small: Path, capsys: Read) -> None:
    url = bucket.format("/a")
    assert main(["run", str(small), "--out", url]) == 2
    assert "enable the allow_bucket_creation option" in capsys.readouterr().err
    assert main(["verify", url]) == 2
    assert "is not the folder of a run" in capsys.readouterr().err


def test_no_credentials(make: Make, bucket: str, small: Path, capsys: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    put(make(), bucket.format("/a") + "&allow_bucket_creation=true")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    for arguments in (["run", str(small), "--out"], ["status"], ["verify"]):
        assert main([*arguments, bucket.format("/a")]) == 2
        assert "ACCESS_DENIED" in capsys.readouterr().err


def test_server_gone(small: Path, capsys: Read) -> None:
    url = "s3://bucket/a?endpoint_override=http://127.0.0.1:9"
    assert main(["run", str(small), "--out", url]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"freecell-census: {url}: ")
    assert "Could not connect" in said


def test_evidence_about_a_result_of_a_store(make: Make, url: str, capsys: Read) -> None:
    here = make()
    there = put(here, url)
    assert main(["diff", url, str(here), "--figures", "--out", url.replace("/result", "/diff.parquet")]) == 0
    assert main(["deal", "--range", "1:3", "--out", url.replace("/result", "/deals.parquet")]) == 0
    for name, rows in (("diff", 0), ("deals", 3)):
        file = place(url.replace("/result", f"/{name}.parquet"))
        assert pq.read_table(io.BytesIO(file.read_bytes())).num_rows == rows
    assert main(["results", url]) == 0
    capsys.readouterr()
    assert main(["audit", url, "--sample", "3"]) == 0
    said = capsys.readouterr().out
    assert f"8 of 8 have the SHA-256 that {there / 'summary.json'} says" in said
    assert "proofs: 1 of 1 exhausted again" in said
    assert main(["export", url, "--certificates"]) == 0
    assert "# deal 11982: 83239 positions" in capsys.readouterr().out
