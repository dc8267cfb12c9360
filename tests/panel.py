"""The panel "What if" of a page, as a reader uses it."""

from collections.abc import Mapping
from dataclasses import dataclass

from playwright.sync_api import Locator, expect

from browser import Visit

# However busy the machine.
PATIENCE_MS = 25_000


@dataclass(frozen=True)
class Tile:
    """What stands in a tile: the figure, and what it was before a change."""

    value: str
    before: str


class Panel:
    """The panel of a page that has been opened."""

    def __init__(self, visit: Visit) -> None:
        self.page = visit.page
        self.page.set_default_timeout(PATIENCE_MS)
        self.region = self.page.get_by_role("region", name="What if", exact=True)
        self.region.get_by_role("button", name="Undo").wait_for()
        self.settled()

    def settled(self) -> "Panel":
        """Wait until there is an answer to what is asked."""
        expect(self.page.locator("[aria-busy=true]")).to_have_count(0, timeout=PATIENCE_MS)
        return self

    def said(self) -> str:
        """How far the answer is."""
        return self.region.locator(".progress").inner_text()

    def sentence(self) -> str:
        """The first sentence of the page."""
        return self.page.locator("p.headline:visible").first.inner_text()

    def tiles(self) -> Mapping[str, Tile]:
        """The tiles by their labels."""
        return {
            tile.locator("dt").inner_text(): Tile(
                tile.locator("strong").inner_text(),
                " ".join(tile.locator(".before").all_inner_texts()),
            )
            for tile in self.page.locator(".tiles:visible > div").all()
        }

    def more(self) -> None:
        """Open what is not in sight at first."""
        self.region.locator("summary", has_text="All controls").click()

    def number(self, name: str) -> Locator:
        """The number beside a slider."""
        return self.region.get_by_label(f"{name}, typed", exact=True)

    def slider(self, name: str) -> Locator:
        """A slider."""
        return self.region.get_by_label(name, exact=True)

    def type(self, name: str, value: int) -> "Panel":
        """Type a number beside a slider."""
        self.number(name).click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.type(str(value))
        self.page.keyboard.press("Enter")
        return self.settled()

    def choose(self, name: str, choice: str) -> "Panel":
        """Choose one of several."""
        self.region.get_by_label(name, exact=True).select_option(label=choice)
        return self.settled()

    def click(self, button: str) -> "Panel":
        """Click a button of the panel."""
        self.region.get_by_role("button", name=button, exact=True).click()
        # Back and Forward are heard of later.
        self.page.wait_for_timeout(100)
        return self.settled()

    @property
    def editor(self) -> Locator:
        """The scenario's text."""
        return self.region.get_by_label("Scenario as YAML")

    def paste(self, text: str) -> None:
        """Put another scenario in place of the one there is."""
        self.editor.evaluate(
            """(area, text) => {
                area.focus();
                area.value = text;
                area.dispatchEvent(new InputEvent("input", {bubbles: true}));
            }""",
            text,
        )

    def edit(self, old: str, new: str) -> "Panel":
        """Replace a part of the scenario's text."""
        text = self.editor.input_value()
        assert old in text
        self.paste(text.replace(old, new))
        return self.settled()

    def errors(self) -> list[str]:
        """What is wrong with the text."""
        return self.region.locator(".errors li").all_inner_texts()

    def refused(self) -> list[str]:
        """What is refused, beside the controls."""
        return self.region.locator(".control .refused:visible").all_inner_texts()
