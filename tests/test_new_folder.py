"""New folders and files: unfinished ones do not exist."""

from pathlib import Path

import pytest

from blockyard.runs.new_folder import NewFolder, new_file


class StoppedError(Exception):
    """Something went wrong on the way."""


def fill_half(path: Path) -> None:
    with NewFolder(path) as made:
        (made.partial / "half").write_text("half")
        raise StoppedError


def write_half(path: Path) -> None:
    with new_file(path) as file:
        file.write(b"half")
        raise StoppedError


def test_a_folder_that_is_not_published_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoppedError):
        fill_half(tmp_path / "parent" / "run")
    assert list(tmp_path.iterdir()) == []


def test_a_published_folder_is_all_that_is_left(tmp_path: Path) -> None:
    with NewFolder(tmp_path / "run") as made:
        (made.partial / "whole").write_text("whole")
        made.publish()
    assert [path.relative_to(tmp_path) for path in tmp_path.rglob("*")] == [
        Path("run"),
        Path("run/whole"),
    ]


def test_a_file_that_is_not_finished_is_removed(tmp_path: Path) -> None:
    with pytest.raises(StoppedError):
        write_half(tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("make", [NewFolder, lambda path: new_file(path).__enter__()])
def test_what_is_there_stays(make: type[NewFolder], tmp_path: Path) -> None:
    (taken := tmp_path / "taken").write_text("mine")
    with pytest.raises(FileExistsError):
        make(taken)
    assert taken.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [taken]
