"""The standard library of this machine's Rust compiler for pages, from where rustup has it.

.venv/bin/python scripts/wasm_library.py TARGET FOLDER

It is unpacked into FOLDER, as a sysroot that also has what this machine's compiler has of its own,
and rustup's toolchain stays as it is. Fails in one line where the compiler is not one of rustup's
stable ones, or the library cannot be had.
"""

import hashlib
import io
import lzma
import shutil
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path

WHERE = "https://static.rust-lang.org/dist"
# A firewall may drop what is asked.
PATIENCE_S = 20


def read(name: str) -> bytes:
    """What the release has under a name."""
    with urllib.request.urlopen(f"{WHERE}/{name}", timeout=PATIENCE_S) as answer:  # noqa: S310
        content: bytes = answer.read()
        return content


def fetched(name: str) -> bytes:
    """A file of the release, as its sum there says."""
    content, expected = read(name), read(f"{name}.sha256").decode().split()[0]
    if hashlib.sha256(content).hexdigest() != expected:
        raise OSError(f"{name} is not as its sum says")
    return content


def rustc(*arguments: str) -> str:
    """What the compiler says of itself."""
    said = subprocess.run(["rustc", *arguments], capture_output=True, text=True, check=True)  # noqa: S603, S607
    return said.stdout.strip()


def place(target: str, folder: Path) -> None:
    """Make `folder` the sysroot for `target`, unless it is there."""
    own = Path(rustc("--print", "sysroot"))
    # rustup's list of what it installed; other builds of the same version have another library.
    if not (own / "lib/rustlib/multirust-channel-manifest.toml").exists():
        raise OSError("rustc is not rustup's")
    version = rustc("--version").split()[1]
    if "-" in version:
        raise OSError(f"rustc {version} is not a stable one")
    if (folder / version).exists():
        return
    name = f"rust-std-{version}-{target}"
    new = folder / f"{version}.new"
    shutil.rmtree(new, ignore_errors=True)
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress(fetched(f"{name}.tar.xz")))) as archive:
        archive.extractall(new / "unpacked", filter="data")
    libraries = new / "lib/rustlib"
    libraries.mkdir(parents=True)
    (new / "unpacked" / name / f"rust-std-{target}/lib/rustlib" / target).rename(libraries / target)
    shutil.rmtree(new / "unpacked")
    for part in (own / "lib/rustlib").iterdir():
        if part.is_dir() and not (libraries / part.name).exists():
            (libraries / part.name).symlink_to(part)
    new.rename(folder / version)


def main() -> None:
    """Place the library of what the command line names, and print where."""
    target, folder = sys.argv[1], Path(sys.argv[2])
    try:
        place(target, folder)
    except (OSError, subprocess.CalledProcessError, lzma.LZMAError, tarfile.TarError) as error:
        sys.exit(f"engine: no library for {target} from {WHERE}: {error}")
    print(folder / rustc("--version").split()[1])


main()
