// The values at the place pointed at, shown beside it.

import type { Box, Reading } from "./chart";
import { html } from "./dom";
import { tint } from "./paint";

const ASIDE = 14;

export class Tip {
  // A screen reader gets the same in words.
  readonly element = html("div", { class: "tip", hidden: true, "aria-hidden": "true" });

  show({ x, y, head, values }: Reading, box: Box, width: number): void {
    const rows = values.map(({ label, value, colour }) => {
      const name = html("span", { class: "name" }, label);
      const dot = colour === undefined ? [] : [tint(html("i"), colour)];
      return html("div", {}, ...dot, name, html("b", {}, value));
    });
    this.element.replaceChildren(html("strong", {}, head), ...rows);
    this.element.hidden = false;
    const own = this.element.offsetWidth;
    const right = box.left + x + ASIDE;
    const left = right + own <= width ? right : Math.max(0, box.left + x - ASIDE - own);
    this.element.style.left = `${left}px`;
    this.element.style.top = `${box.top + Math.max(0, Math.min(y - ASIDE, box.height - this.element.offsetHeight))}px`;
  }

  hide(): void {
    this.element.hidden = true;
  }
}
