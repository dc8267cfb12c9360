// Words and tables of a report as elements, as `page.html` has them.

import { html } from "../dom";
import type { Passage, Table, Tile } from "./protocol";

/** The tiles, each with what it was before, where there is such a tile. */
export function tiles(now: readonly Tile[], before: readonly Tile[], was: string) {
  const made = now.map(({ label, value, note }) => {
    const old = before.find((tile) => tile.label === label)?.value;
    const said = old === undefined ? [] : [html("span", { class: "before" }, `${was}: ${old}`)];
    const figures = html("dd", {}, html("strong", {}, value), html("span", {}, note), ...said);
    return html("div", {}, html("dt", {}, label), figures);
  });
  return html("dl", { class: "tiles" }, ...made);
}

/** `first` are sentences that stand before all. */
export function passages(
  all: readonly Passage[],
  first: readonly string[],
): HTMLElement | undefined {
  if (all.length + first.length === 0) return undefined;
  const lead = first.map((said) => html("p", { class: "headline" }, said));
  const parts = all.flatMap(({ heading, content }) => [
    html("h3", {}, heading),
    ...content.map((part) =>
      typeof part === "string" ? html("p", { class: "said" }, part) : table(part),
    ),
  ]);
  return html("section", { class: "words" }, html("h2", {}, "Summary"), ...lead, ...parts);
}

function table({ caption, columns, rows, words, verdict }: Table): HTMLElement {
  const heads = columns.map((column, at) =>
    html("th", { scope: "col", role: "columnheader", class: at >= words && "number" }, column),
  );
  const cell = (text: string, at: number) => {
    const judged = verdict && at === columns.length - 1;
    const kind = at >= words && `number${judged ? " verdict" : ""}`;
    return html("td", { role: "cell", "data-column": columns[at] ?? "", class: kind }, text);
  };
  const body = rows.map((row) => html("tr", { role: "row" }, ...row.map(cell)));
  const made = html(
    "table",
    { role: "table" },
    html("caption", {}, caption),
    html("thead", { role: "rowgroup" }, html("tr", { role: "row" }, ...heads)),
    html("tbody", { role: "rowgroup" }, ...body),
  );
  return html(
    "div",
    { class: "scroller", tabindex: 0, role: "region", "aria-label": caption },
    made,
  );
}
