"""The settings of an IRIS instance that a layout implies, as a merge file for its CPF."""

from collections.abc import Iterator

from blockyard.formats.provisioning.layout import MIB, Files, Layout
from blockyard.formats.provisioning.text import comment
from blockyard.types.layout import Settings

KIB = 1 << 10

#: The sizes of database blocks in KiB, in the order of the buffers in `globals`.
BLOCKS = (2, 4, 8, 16, 32, 64)

#: Write daemons, database writes in flight and those of one daemon that need no `wdparm`: the
#: defaults of a scenario.
DAEMONS = (8, 64, 128)

#: The second number of `wdparm`, the size of a table of devices: its default, which the article
#: on gp3 and io2 of 2023 states too.
TABLE = 32

#: Most of a journal file: with its buffers, of which there are at least 16 MB, less than 4 GB.
JOURNAL = 4096 - 16 - 1


def written(layout: Layout, host: str, mounts: str) -> str:
    """Write the settings of the database server on a host.

    Raises ScenarioError if no job there has a database, a WIJ and a journal, or several have.
    """
    servers = [
        (files, files.settings)
        for files in layout.files
        if files.settings and host in _hosts_of(layout, files.on["database"])
    ]
    if not servers:
        where = f" on {host}" if len(layout.hosts) > 1 else ""
        layout.refuse(
            "workload",
            f"no job of kind ranwrite{where}, so that nothing says where database, WIJ and journal "
            "lie",
        )
    if len(servers) > 1:
        names = " and ".join(server.job for server, _ in servers)
        layout.refuse("workload", f"{names} on one host: two instances; the settings are of one")
    ((server, of),) = servers
    folders = {role: f"{mounts}/{device}/{role}/" for role, device in server.on.items()}
    head = comment(
        f"{layout.name}: settings of the IRIS instance on {_named(layout, host)}.",
        "Made by `blockyard provision --format iris`; for `iris merge INSTANCE FILE`, or for "
        "ISC_CPF_MERGE_FILE at the first start. The folders must be there and belong to the "
        "instance's owner.",
        mark=";",
    )
    sections = (
        ("config", _config(layout, (server, of), folders)),
        ("Journal", _journal(layout, (server, of), folders)),
        ("Actions", _databases(layout, server, host, mounts)),
    )
    return head + "".join(
        f"\n[{name}]\n" + "".join(f"{comment(why, mark=';')}{line}\n" for line, why in settings)
        for name, settings in sections
    )


Setting = tuple[str, str]

# A database server: its files, and how it is configured.
Server = tuple[Files, Settings]


def _hosts_of(layout: Layout, device: str) -> list[str]:
    """The hosts on which what lies on a device can run: of a mirror, that of its first leg."""
    cluster = layout.cluster(device)
    found = next(it for it in layout.devices if it.name == device)
    return list(cluster.nodes) if cluster else found.hosts[:1]


def _named(layout: Layout, host: str) -> str:
    found = next(it for it in layout.hosts if it.name == host)
    of = "a host" if len(layout.hosts) == 1 else f"host {host}"
    return f"{of}, {found.instance}" if found.instance else of


def _alone(server: Files, role: str) -> str:
    """Whether a role has a device of its own, in words."""
    device = server.on[role]
    others = [other for other, on in server.on.items() if on == device and other != role]
    if not others:
        return f"on a device of its own, {device}"
    with_it = " and the ".join(_WORDS[other] for other in others)
    return f"on {device}, which the {with_it} share{'s' if len(others) == 1 else ''}"


_WORDS = {"database": "database", "wij": "WIJ", "journal": "journal"}


def _config(layout: Layout, server: Server, folders: dict[str, str]) -> Iterator[Setting]:
    files, of = server
    yield f"wijdir={folders['wij']}", f"The write image journal lies {_alone(files, 'wij')}."
    yield (
        f"targwijsz={of['wij_size'] // MIB}",
        "MB that the WIJ is given at the start, so that no cycle waits for it to grow.",
    )
    yield (
        f"Asyncwij={of['asyncwij']}",
        "WIJ writes in flight; sources disagree on the default, so that it is stated.",
    )
    yield (
        "wduseasyncio=1",
        "Write daemons keep several writes in flight, without which volumes would idle.",
    )
    daemons = (of["daemons"], of["outstanding"], of["per_daemon"])
    if daemons != DAEMONS:
        yield (
            f"wdparm={of['daemons']},{TABLE},{of['outstanding']},{of['per_daemon']}",
            f"{daemons[0]} write daemons, a table of {TABLE} devices, {daemons[1]} writes in "
            f"flight over all daemons and {daemons[2]} of one. The property is not documented: ask "
            "the product's support first.",
        )
    yield _globals(layout, server)


def _globals(layout: Layout, server: Server) -> Setting:
    """The database cache, in MB of buffers for each size of block."""
    files, of = server
    block = of["block"]
    if block not in [kib * KIB for kib in BLOCKS]:
        layout.refuse(
            f"workload.{files.job}.block",
            f"blocks of {block} bytes; IRIS has blocks of {', '.join(map(str, BLOCKS))} KiB",
        )
    kib = block // KIB
    buffers = [0] * len(BLOCKS)
    buffers[BLOCKS.index(kib)] = max(of["cache"] // MIB, 1)
    return (
        f"globals={','.join(map(str, buffers))}",
        f"The database cache: MB of buffers for blocks of {', '.join(map(str, BLOCKS))} KiB.",
    )


def _journal(layout: Layout, server: Server, folders: dict[str, str]) -> Iterator[Setting]:
    files, of = server
    size = of["journal_size"] // MIB
    if not 1 <= size <= JOURNAL:
        layout.refuse(
            f"workload.{files.job}.journal.file_size",
            f"{size} MiB; a journal file of IRIS has 1 to {JOURNAL}",
        )
    yield (
        f"CurrentDirectory={folders['journal']}",
        f"The journal lies {_alone(files, 'journal')}. AlternateDirectory is where it goes when "
        "that is full: state one on another file system, of which the layout says nothing.",
    )
    yield f"FileSizeLimit={size}", "MB of a journal file."


def _databases(layout: Layout, server: Files, host: str, mounts: str) -> Iterator[Setting]:
    """The database under updates, and those that are read on the same host."""
    of = f"The database of {server.job} lies {_alone(server, 'database')}."
    jobs = {_database(server.job): server.job}
    yield _created(server, mounts), of
    if server.member is not None:
        return
    for files in layout.files:
        if files.kind == "ranread" and host in _hosts_of(layout, files.on["database"]):
            name = _database(files.job)
            if name in jobs:
                layout.refuse(
                    f"workload.{files.job}",
                    f"its database would be {name}, as that of {jobs[name]}; expected another name",
                )
            jobs[name] = files.job
            yield (
                _created(files, mounts),
                f"The database of {files.job}, on {files.on['database']}.",
            )


def _created(files: Files, mounts: str) -> str:
    """The action that makes a job's database."""
    folder = f"{mounts}/{files.on['database']}/{files.job}/"
    return f"CreateDatabase:Name={_database(files.job)},Directory={folder}"


def _database(job: str) -> str:
    """A name for a database: IRIS has them in capitals, from a letter, without `_`."""
    name = job.upper().replace("_", "-")
    return name if name[0].isalpha() else f"DB{name}"
