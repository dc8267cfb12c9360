"""fio's job files as a format: sections, options, sizes and times."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockyard.formats.fio import values
from blockyard.formats.fio.jobfile import JobFileError, Section, read, text_of
from blockyard.formats.fio.options import ALIASES, problem_with
from blockyard.formats.fio.settings import Settings

needs_fio = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def jobs_of(text: str, folder: Path, **environment: str) -> dict[str, dict[str, str | None]]:
    """Each job's options."""
    path = folder / "j.fio"
    path.write_text(text)
    jobs = read(path, Settings(environment=environment))
    return {job.name: {name: option.value for name, option in job.options.items()} for job in jobs}


def test_global_options_apply_to_the_jobs_below_them(tmp_path: Path) -> None:
    jobs = jobs_of("[global]\nbs=4k\n[a]\nbs=8k\n[global]\nsize=1g\n[b]\n", tmp_path)
    assert jobs == {"a": {"bs": "8k"}, "b": {"bs": "4k", "size": "1g"}}


def test_comments_spaces_and_options_without_value(tmp_path: Path) -> None:
    text = "; first\n[a job]\n  # second\n\n\tsize=1g ; third\ntime_based\nbs=4k#fourth\n"
    assert jobs_of(text, tmp_path) == {"a job": {"size": "1g", "time_based": None, "bs": "4k"}}


def test_other_names_are_one_option_and_the_last_wins(tmp_path: Path) -> None:
    jobs = jobs_of("[a]\nblocksize=4k\nbs=8k\nreadwrite=read\n", tmp_path)
    assert jobs == {"a": {"bs": "8k", "rw": "read"}}


def test_the_environment_is_put_in_and_what_it_lacks_stays(tmp_path: Path) -> None:
    jobs = jobs_of("[a]\nsize=${SIZE}\nfilename=/mnt/${NONE}x\n", tmp_path, SIZE="4g")
    assert jobs == {"a": {"size": "4g", "filename": "/mnt/${NONE}x"}}


def test_included_files_stand_in_their_section(tmp_path: Path) -> None:
    (tmp_path / "inner.fio").write_text("iodepth=4\n")
    (tmp_path / "outer.fio").write_text("bs=4k\ninclude inner.fio\n")
    jobs = jobs_of("[a]\ninclude outer.fio\nsize=1g\n", tmp_path)
    assert jobs == {"a": {"bs": "4k", "iodepth": "4", "size": "1g"}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "j.fio: no job; expected a section such as [readers]"),
        ("[global]\nbs=4k\n", "j.fio: no job; expected a section such as [readers]"),
        ("{\n}\n", "j.fio:1: `{`: JSON, no job file; `blockyard report` reads fio's results"),
        ("bs=4k\n[a]\n", "j.fio:1: `bs=4k`: an option before any [section]"),
        ("[a]\ninclude gone.fio\n", "j.fio:2: include gone.fio: No such file or directory"),
        ("[a]\ninclude j.fio\n", "j.fio:1: `[a]`: an included file has no sections"),
        ("[a]\ninclude round.fio\n", "round.fio: included by itself"),
    ],
)
def test_what_is_no_job_file_is_told_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "round.fio").write_text("include round.fio\n")
    with pytest.raises(JobFileError) as error:
        jobs_of(text, tmp_path)
    assert str(error.value) == f"{tmp_path}/{message}"


@pytest.mark.parametrize(
    ("text", "kb_base", "size"),
    [
        ("4096", "1024", 4096),
        ("4k", "1024", 4 * KIB),
        ("4KB", "1024", 4 * KIB),
        ("4ki", "1024", 4000),
        ("4KiB", "1024", 4000),
        ("4k", "1000", 4000),
        ("4KiB", "1000", 4 * KIB),
        ("1m", "1024", MIB),
        ("2G", "1024", 2 * GIB),
        ("1t", "1024", GIB * KIB),
        ("512b", "1024", 512),
        ("0x10k", "1024", 16 * KIB),
    ],
)
def test_sizes(text: str, kb_base: str, size: int) -> None:
    assert values.size(text, kb_base) == size


@pytest.mark.parametrize("text", ["", "k", "1.5g", "4 k", "-1", "4kk", "4x", "10%"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="expected a whole size"):
        values.size(text)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("30", 30_000), ("2m", 120_000), ("1H", 3_600_000), ("1d", 86_400_000), ("5ms", 5)],
)
def test_times(text: str, milliseconds: int) -> None:
    assert values.time(text) == milliseconds * 1_000_000


@pytest.mark.parametrize("text", ["", "1.5", "10min", "1:30", "-1"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match="expected a whole time"):
        values.time(text)


@pytest.mark.parametrize(
    ("text", "pair"),
    [("8k", (8, 8)), ("8k,4k", (8, 4)), ("8k,", (8, 1)), (",8k", (1, 8)), ("8k,4k,2k", (8, 4))],
)
def test_values_for_reads_and_writes(text: str, pair: tuple[int, int]) -> None:
    assert values.directions(text, lambda part: values.size(part) // KIB, 1) == pair


NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
OPTIONS = st.dictionaries(
    NAMES.filter(lambda name: name not in ALIASES and name != "include"),
    st.none() | st.from_regex(r"[a-zA-Z0-9/._:,%-]{1,12}", fullmatch=True),
    max_size=5,
)
SECTIONS = st.dictionaries(
    NAMES.filter(lambda name: not name.startswith("global")), OPTIONS, min_size=1, max_size=4
)


@given(SECTIONS)
def test_what_is_written_reads_the_same(
    tmp_path_factory: pytest.TempPathFactory, sections: dict[str, dict[str, str | None]]
) -> None:
    text = text_of(["A comment."], [Section(*item, ("Another.",)) for item in sections.items()])
    assert jobs_of(text, tmp_path_factory.mktemp("jobs")) == sections


@given(st.text(alphabet="[]=;#$ {}\nab1/", max_size=60))
def test_any_text_is_a_job_file_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    try:
        jobs_of(text, tmp_path_factory.mktemp("jobs"))
    except JobFileError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either outcome is right


@needs_fio
def test_every_option_of_fio_is_known() -> None:
    done = subprocess.run(["fio", "--cmdhelp=all"], capture_output=True, text=True, check=True)
    offered = [line.partition(":")[0].strip() for line in done.stdout.splitlines() if ":" in line]
    assert len(offered) > 150
    problems = {name: problem_with(ALIASES.get(name, name), "x", writes=True) for name in offered}
    unknown = [name for name, problem in problems.items() if "no such" in (problem or "")]
    assert not unknown
