"""`make planted`: each patch in tests/planted plants a bug that a named test must catch.

A patch begins with what is wrong and a line `Caught-by: CRATE TARGET TEST`, where
TARGET is `lib` or the name of a test file. The patched copy of the tree has to
compile, and the test has to pass without the patch and fail with it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ("Cargo.toml", "Cargo.lock", "clippy.toml", "catalog", "crates", "scenarios", "schemas")
# Quick to compile; the tests stay quick enough.
PROFILE = {
    "CARGO_TARGET_DIR": str(ROOT / "target" / "planted"),
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
    "CARGO_PROFILE_RELEASE_DEBUG": "0",
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1",
}


@dataclass(frozen=True)
class Bug:
    """A patch and the test that must catch it."""

    patch: Path
    crate: str
    target: str
    test: str

    @classmethod
    def read(cls, patch: Path) -> "Bug":
        """Reads the header of a patch."""
        for line in patch.read_text().splitlines():
            if line.startswith("Caught-by: "):
                crate, target, test = line.removeprefix("Caught-by: ").split()
                return cls(patch, crate, target, test)
        sys.exit(f"{patch}: no line `Caught-by: CRATE TARGET TEST`")


def cargo(tree: Path, bug: Bug, *extra: str) -> subprocess.CompletedProcess[str]:
    """Runs cargo on the bug's test."""
    target = ["--lib"] if bug.target == "lib" else ["--test", bug.target]
    command = ["cargo", "test", "--release", "--locked", "-p", bug.crate, *target, *extra]
    return subprocess.run(  # noqa: S603 - fixed program, arguments from the patches in the tree
        command, cwd=tree, env=os.environ | PROFILE, capture_output=True, text=True, check=False
    )


def passes(tree: Path, bug: Bug) -> bool:
    """Whether the test compiles, is there, and passes."""
    built = cargo(tree, bug, "--no-run")
    if built.returncode != 0:
        sys.exit(f"{bug.patch.name}: does not compile\n{built.stderr}")
    ran = cargo(tree, bug, "--", "--exact", bug.test)
    if "running 1 test" not in ran.stdout:
        sys.exit(f"{bug.patch.name}: there is no test {bug.crate} {bug.target} {bug.test}")
    if "test result: " not in ran.stdout:
        sys.exit(f"{bug.patch.name}: {bug.test} ends without a verdict\n{ran.stderr}")
    return ran.returncode == 0


def apply(tree: Path, bug: Bug, *, reverse: bool = False) -> None:
    """Applies the patch, or takes it back."""
    command = ["git", "apply", *(["--reverse"] if reverse else []), str(bug.patch)]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        sys.exit(f"{bug.patch.name}: no longer applies\n{done.stderr}")


def copy_sources(tree: Path) -> None:
    """Copies the sources as new files.

    Cargo goes by their times: with the old ones it would take what the last
    run built from patched sources for a build of these.
    """
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(source, tree / name)


def main() -> int:
    """Plants each bug and sees whether it is caught."""
    bugs = [Bug.read(patch) for patch in sorted((ROOT / "tests" / "planted").glob("*.patch"))]
    missed = []
    with tempfile.TemporaryDirectory() as temporary:
        tree = Path(temporary)
        copy_sources(tree)
        for bug in bugs:
            if not passes(tree, bug):
                sys.exit(f"{bug.test} fails without any bug")
        for bug in bugs:
            apply(tree, bug)
            caught = not passes(tree, bug)
            apply(tree, bug, reverse=True)
            print(
                f"{'caught' if caught else 'MISSED'}  {bug.patch.stem}  by {bug.test}", flush=True
            )
            if not caught:
                missed.append(bug)
    print(f"{len(bugs) - len(missed)} of {len(bugs)} planted bugs caught")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
