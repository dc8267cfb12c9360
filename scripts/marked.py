"""Pages whose generated parts stand between `<!-- begin: NAME -->` and `<!-- end: NAME -->`."""


def fill(page: str, name: str, text: str) -> str:
    """The page with `text` as its part `name`. Raises ValueError if it has no such part."""
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"no place for `{name}`")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"
