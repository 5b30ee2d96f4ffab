"""The rules of the house: who imports whom, what stays empty, what a worker and `--help` never load."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

FLOORS = ("store", "farm", "deals", "proofs", "evidence", "census", "report", "speed", "cli")
"""Rooms of `pipeline`, and `cli`, from the ground up. A room imports itself, rooms below it, and the modules beside
`cli`, which import no room. One order for all of them leaves no place for a circle of rooms."""

FILES = {"contextlib", "hashlib", "io", "os", "pathlib", "pyarrow", "re", "shutil", "subprocess", "sys", "tempfile"}
"""Modules for files and processes, which `kernels` leave to `pipeline`."""

CACHE = "kernels.jit"
"""The one kernel module with files: it keeps what was compiled."""

COMMANDS = [
    "deal",
    "find",
    "solve",
    "replay",
    "run",
    "fewest-cells",
    "prove",
    "status",
    "verify",
    "audit",
    "diff",
    "export",
    "results",
    "report",
    "bench",
    "tune",
]


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path): path for package in ("pipeline", "kernels") for path in sources(package)}


def imports(path: Path) -> Iterator[str]:
    """Modules that a file imports, inside functions as well."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports name their package"
            for each in node.names:
                whole = f"{node.module}.{each.name}"
                yield whole if whole in MODULES else str(node.module)


def floor(module: str) -> int:
    """The floor of a module of `pipeline`; 0 for the modules beside `cli`."""
    room = module.split(".")[1]
    if MODULES.get(f"pipeline.{room}", ROOT).name == "__init__.py":
        assert room in FLOORS, f"pipeline/{room} has no place in FLOORS"
    return FLOORS.index(room) + 1 if room in FLOORS else 0


def test_kernels_import_nothing_of_the_pipeline() -> None:
    for path in sources("kernels"):
        assert not [name for name in imports(path) if name.split(".")[0] == "pipeline"], path


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("pipeline.") and name.count(".")])
def test_nothing_imports_upward(module: str) -> None:
    if module == "pipeline.__main__":  # `python -m pipeline` is cli under another name
        return
    names = [name for name in imports(MODULES[module]) if name.startswith("pipeline.")]
    above = [name for name in names if floor(name) > floor(module)]
    assert not above, f"{module} imports {above}, on a floor above its own"


def test_no_module_imports_itself_by_a_detour() -> None:
    below = {name: {each for each in imports(path) if each in MODULES} - {name} for name, path in MODULES.items()}
    while free := [name for name, names in below.items() if not names & below.keys()]:
        for name in free:
            del below[name]
    assert not below, f"a circle among {sorted(below)}"


def test_packages_are_empty() -> None:
    for path in [*sources("pipeline"), *sources("kernels")]:
        assert path.name != "__init__.py" or not path.read_text(encoding="utf-8"), path


def test_kernels_know_no_files() -> None:
    for path in sources("kernels"):
        if module_of(path) == CACHE:
            continue
        assert not [name for name in imports(path) if name.split(".")[0] in FILES], path
        tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        assert not [node for node in tree if isinstance(node, ast.Name) and node.id == "open"], path


def test_only_cli_prints_answers() -> None:
    for path in sources("pipeline"):
        if module_of(path) in ("pipeline.cli", "pipeline.streams"):  # the second opens it where it is closed
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                to = [ast.unparse(word.value) for word in node.keywords if word.arg == "file"]
                assert to == ["sys.stderr"], f"{path}:{node.lineno} prints an answer: it returns an outcome instead"
            if isinstance(node, ast.Attribute) and node.attr == "stdout":
                assert not isinstance(node.value, ast.Name) or node.value.id != "sys", f"{path}:{node.lineno}"


def loaded(code: str) -> set[str]:
    """The top names of what a fresh interpreter has loaded after some code."""
    code += "\nimport sys\nprint(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_workers_load_no_parquet() -> None:
    assert "pyarrow" not in loaded("import pipeline.farm.worker")


def test_help_loads_no_kernels() -> None:
    code = f"""
from contextlib import suppress
from pipeline.cli import main
for command in {[[], *([name] for name in COMMANDS)]}:
    with suppress(SystemExit):
        main([*command, "--help"])
"""
    assert not loaded(code) & {"numba", "numpy", "pyarrow", "kernels"}
