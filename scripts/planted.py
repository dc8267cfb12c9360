"""`make planted`: each patch in tests/planted plants a bug that a named test must catch.

A patch begins with what is wrong and a line `Caught-by: CRATE TARGET TEST`, where
TARGET is `lib` or the name of a test program. The patched copy of the tree has to
compile, and the test has to pass without the patch and fail with it.

    python scripts/planted.py [NAME ...]    those patches only
    python scripts/planted.py --changed     those that a change since the last full run may concern

A full run that catches all of them notes its commit in tests/planted/caught-at.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).parent.parent
PATCHES = ROOT / "tests" / "planted"
# The commit at which all bugs were caught.
CAUGHT_AT = PATCHES / "caught-at"
MANIFESTS = ("Cargo.toml", "Cargo.lock", "clippy.toml")
SOURCES = (*MANIFESTS, "catalog", "crates", "fuzz", "scenarios", "schemas")

# Where the copies are that are patched.
COPIES = ROOT / "target" / "planted"
# The build of `make test`. A copy has a build of its own, as cargo distinguishes the builds
# of two copies of a workspace only by file times; but what both use is copied.
BUILT = ROOT / "target" / "ci"
# The home of bugs that a test in another crate must catch.
SEVERAL = "several"
# A test must catch its bug without the seeds of earlier failures, and leaves none of a bug.
NO_SEEDS = {"PROPTEST_DISABLE_FAILURE_PERSISTENCE": "true"}
# A build with a bug differs from the previous one in a few lines, and of a crate with bugs only
# the parts that they are in are compiled again: so there are many parts, and not the 16 of the
# profile. All else stays as `make test` has built it.
CHANGING = ("incremental=true", "codegen-units=256")
# Packages that use no other but ask for most features of crates from elsewhere.
SMALL = ("blockyard-sys", "blockyard-text", "blockyard-tidy")


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

    @property
    def program(self) -> tuple[str, str]:
        """The test program that has the test: its package and target."""
        return self.crate, self.target

    @property
    def files(self) -> list[str]:
        """The files that the patch changes."""
        return re.findall(r"^\+\+\+ b/(\S+)", self.patch.read_text(), re.MULTILINE)

    @property
    def home(self) -> str:
        """The crate that both the bug and its test are in; else `several`."""
        own = all(path.startswith(folder(self.crate)) for path in self.files)
        return self.crate if own else SEVERAL

    def is_concerned(self, changed: set[str]) -> bool:
        """Whether a change of these files may keep the bug from being caught.

        So may one of the patch, of the files that it changes, and of the test's module.
        """
        own = {str(self.patch.relative_to(ROOT)), *self.files}
        return bool(own & changed) or any(map(self._is_test_of, changed))

    def _is_test_of(self, path: str) -> bool:
        """Whether a file is of the tests that the test is one of, or of what they share."""
        home = folder(self.crate)
        if not path.startswith(home) or "test" not in path:
            return False
        within = self.test.split("::")
        match Path(path.removeprefix(home)).with_suffix("").parts:
            case ("proptest-regressions", *_):
                return False
            case ("src", *modules) if "tests" in modules:
                module = modules[: modules.index("tests") + 1]
                return self.target == "lib" and within[: len(module)] == module
            case ("tests", program, module, *_) if module not in {"main", "common"}:
                return self.target == program and within[0] == module
            case ("tests", program, *_):
                return self.target == program
            case _:
                return True


@dataclass(frozen=True)
class Copy:
    """A copy of the tree that bugs are planted in, one at a time, with a build."""

    # Where the bugs and their tests are: a crate, or `several`.
    home: str
    # What is built, from this copy and from those of other homes: each changes only files of its
    # home, which nothing is built from that another uses.
    target: Path

    @property
    def tree(self) -> Path:
        """The sources."""
        return COPIES / self.home

    @property
    def changing(self) -> list[str]:
        """The packages that are built with bugs."""
        return packages() if self.home == SEVERAL else [self.home]

    def try_all(self, bugs: list[Bug]) -> Iterator[bool]:
        """Whether the test of each bug fails with it; all have to pass without any."""
        sound = {bug.program: self.build(bug) for bug in bugs}
        for bug in bugs:
            if not self.passes(bug, sound[bug.program]):
                sys.exit(f"{bug.test} fails without any bug")
        for bug in bugs:
            is_caught = self.catches(bug)
            word = "caught" if is_caught else "MISSED"
            sys.stdout.write(f"{word}  {bug.patch.stem}  by {bug.test}\n")
            sys.stdout.flush()
            yield is_caught

    def catches(self, bug: Bug) -> bool:
        """Whether the bug's test fails with it."""
        self._apply(bug)
        caught = not self.passes(bug, self.build(bug))
        self._apply(bug, reverse=True)
        return caught

    def build(self, bug: Bug) -> Path:
        """Build the program that has the test of `bug`."""
        command = ["cargo", "test", "--profile", "ci", "--locked", "--no-run"]
        command += ["--message-format=json-render-diagnostics", "--target-dir", str(self.target)]
        for crate in self.changing:
            for setting in CHANGING:
                command += ["--config", f"profile.ci.package.{crate}.{setting}"]
        for crate in built_with(bug):
            command += ["--package", crate]
        command += ["--lib"] if bug.target == "lib" else ["--test", bug.target]
        built = subprocess.run(  # noqa: S603 - fixed program, arguments from the patches in the tree
            command, cwd=self.tree, capture_output=True, text=True, check=False
        )  # fmt: skip
        if built.returncode != 0:
            sys.exit(f"{bug.patch.name}: does not compile\n{built.stderr}")
        messages = [json.loads(line) for line in built.stdout.splitlines()]
        programs = {program(message): Path(message["executable"]) for message in messages
                    if message.get("executable")}  # fmt: skip
        return programs[bug.program]

    def passes(self, bug: Bug, executable: Path) -> bool:
        """Whether the test passes. Exits if there is no such test."""
        home = self.tree / folder(bug.crate)
        ran = subprocess.run(  # noqa: S603 - what was just built
            [executable, "--exact", bug.test],
            cwd=home,
            env=seeded() | {"CARGO_MANIFEST_DIR": str(home)} | NO_SEEDS,
            capture_output=True,
            text=True,
            check=False,
        )
        if "running 1 test" not in ran.stdout:
            sys.exit(f"{bug.patch.name}: there is no test {bug.crate} {bug.target} {bug.test}")
        if "test result: " not in ran.stdout:
            sys.exit(f"{bug.patch.name}: {bug.test} ends without a verdict\n{ran.stderr}")
        return ran.returncode == 0

    def _apply(self, bug: Bug, *, reverse: bool = False) -> None:
        """Apply the patch, or take it back."""
        # The copy is in a folder of this repository, and git would use the repository's paths.
        command = ["git", "apply", *(["--reverse"] if reverse else []), str(bug.patch)]
        environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(COPIES)}
        done = subprocess.run(  # noqa: S603
            command, cwd=self.tree, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            sys.exit(f"{bug.patch.name}: no longer applies\n{done.stderr}")

    def refresh(self) -> None:
        """Bring the copy up to date.

        Cargo relies on file times. Files that no bug changes keep theirs, so that what is built
        from them is valid in every copy. Of the others only those that differ are written, and
        have the time of that: what an interrupted call left patched is built again.
        """
        self.tree.mkdir(parents=True, exist_ok=True)
        listed = subprocess.run(  # noqa: S603
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", *SOURCES],  # noqa: S607
            cwd=ROOT, capture_output=True, text=True, check=True,
        ).stdout.splitlines()  # fmt: skip
        files = {name for name in listed if (ROOT / name).exists()}
        for path in [path for path in self.tree.rglob("*") if path.is_file()]:
            if str(path.relative_to(self.tree)) not in files:
                path.unlink()
        changing = tuple(map(folder, self.changing))
        for name in files:
            original, copy = ROOT / name, self.tree / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not name.startswith(changing):
                shutil.copy2(original, copy)
            elif not copy.exists() or copy.read_bytes() != original.read_bytes():
                shutil.copyfile(original, copy)
        if BUILT.exists() and not self.target.exists():
            target = self.target / BUILT.name
            shutil.copytree(BUILT, target, symlinks=True, ignore=not_used)


def not_used(place: str, names: list[str]) -> list[str]:
    """What a copy of a build does not need: most test programs, states of incremental builds."""
    if Path(place).name == "deps":
        small = tuple(crate.replace("-", "_") for crate in SMALL)
        return [name for name in names if "." not in name and not name.startswith(small)]
    return [name for name in names if name == "incremental"]


def folder(crate: str) -> str:
    """Where a package's files are."""
    return f"crates/{crate.removeprefix('blockyard-')}/"


@cache
def packages() -> list[str]:
    """The workspace's packages but the module for Python, whose build needs Python."""
    folders = sorted(path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml"))
    return [f"blockyard-{folder}" for folder in folders if folder != "python"]


def built_with(bug: Bug) -> list[str]:
    """The packages to name to cargo for a build of a bug's program.

    What crates from elsewhere are built with depends on who is named: where a second program
    wants another set of their features, they and all that uses them are built again. So all
    packages are named, as `make test` does. But a name with `--lib` has that package's own unit
    tests built: beside a crate's own, only those of small ones that use none of the others.
    """
    return [*SMALL, bug.crate] if bug.target == "lib" else packages()


def seeded() -> dict[str, str]:
    """The environment, with the seed of random tests that the Makefile has."""
    given = re.search(r"^export (\w+) \?= (\d+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    if given is None:
        sys.exit("Makefile: no line `export PROPTEST_RNG_SEED ?= NUMBER`")
    return {given[1]: given[2], **os.environ}


def program(artifact: dict[str, object]) -> tuple[str, str]:
    """The package and target of something that cargo built."""
    package = Path(str(artifact["manifest_path"])).parent.name
    target = artifact["target"]
    assert isinstance(target, dict)  # noqa: S101 - cargo's format
    name = "lib" if "lib" in target["kind"] else target["name"]
    return f"blockyard-{package}", str(name)


def git(*arguments: str) -> str | None:
    """What git prints; none where it fails."""
    done = subprocess.run(  # noqa: S603
        ["git", *arguments],  # noqa: S607
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout if done.returncode == 0 else None


def changed_files() -> set[str] | None:
    """The files changed since all bugs were caught; none where git does not know that commit."""
    commit = CAUGHT_AT.read_text().strip() if CAUGHT_AT.exists() else ""
    listed = git("diff", "--name-only", commit, "--") if commit else None
    new = git("ls-files", "--others", "--exclude-standard")
    return None if listed is None or new is None else {*listed.splitlines(), *new.splitlines()}


def note_all_caught() -> None:
    """Keep the commit at which all bugs were caught, unless something is not committed."""
    if git("status", "--porcelain") == "" and (commit := git("rev-parse", "HEAD")):
        CAUGHT_AT.write_text(commit)


def read(names: list[str], *, only_changed: bool) -> list[Bug]:
    """The bugs with these names, or all, or those of them that a change concerns."""
    patches = [PATCHES / f"{name}.patch" for name in names] or sorted(PATCHES.glob("*.patch"))
    for patch in patches:
        if not patch.exists():
            sys.exit(f"{patch}: there is no such patch")
    bugs = list(map(Bug.read, patches))
    changed = changed_files() if only_changed else None
    if changed is None:
        return bugs
    concerned = [bug for bug in bugs if bug.is_concerned(changed)]
    print(f"{len(concerned)} of {len(bugs)} planted bugs are concerned by what has changed")
    return concerned


def by_home(bugs: list[Bug]) -> dict[str, list[Bug]]:
    """Bugs by their homes: what takes longest first."""
    bugs = sorted(bugs, key=lambda bug: bug.program)
    homes: dict[str, list[Bug]] = {}
    for bug in bugs:
        homes.setdefault(bug.home, []).append(bug)
    longest = sorted(homes, key=lambda home: (home != SEVERAL, -len(homes[home])))
    return {home: homes[home] for home in longest}


def main() -> int:
    """Plant each bug, and check whether it is caught."""
    parser = argparse.ArgumentParser(description="Plant bugs and see whether tests catch them.")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "name", nargs="*", default=[], help="a patch in tests/planted, without its ending"
    )
    choice.add_argument("--changed", action="store_true", help="only what a change may concern")
    given = parser.parse_args()
    homes = by_home(read(given.name, only_changed=given.changed))
    # Most of a build is one crate after another, which leaves a processor free for another bug.
    free: SimpleQueue[Path] = SimpleQueue()
    for name in ("first", "second")[: len(homes)]:
        free.put(COPIES / "built" / name)

    def tried(home: str, bugs: list[Bug]) -> int:
        target = free.get()
        try:
            copy = Copy(home, target)
            copy.refresh()
            return sum(not is_caught for is_caught in copy.try_all(bugs))
        finally:
            free.put(target)

    with ThreadPoolExecutor(max(free.qsize(), 1)) as pool:
        missed = sum(pool.map(tried, homes, homes.values()))
    count = sum(map(len, homes.values()))
    print(f"{count - missed} of {count} planted bugs caught")
    if not missed and not given.name and not given.changed:
        note_all_caught()
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
