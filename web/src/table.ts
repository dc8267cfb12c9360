// The data of a figure: as a table short enough to read, and in full as CSV.

import type { Table } from "./chart";
import { html } from "./dom";
import { number } from "./format";

const MOST_ROWS = 60;

/** A control that opens to the table, which is built when first opened. */
export function data(name: string, title: string, table: () => Table): HTMLDetailsElement {
  const details = html("details", { class: "data" }, html("summary", {}, "Data"));
  details.addEventListener(
    "toggle",
    () => {
      const button = html("button", { type: "button" }, "Download CSV");
      button.addEventListener("click", () => download(`${name}.csv`, csv(table())));
      details.append(button, ...excerpt(title, table()));
    },
    { once: true },
  );
  return details;
}

function excerpt(title: string, { heading, rows }: Table): HTMLElement[] {
  const every = Math.ceil(rows.length / MOST_ROWS) || 1;
  const shown = rows.filter((_, i) => i % every === 0);
  const note =
    every > 1 ? `One row in ${every} of ${number(rows.length)}; the CSV file has them all.` : "";
  const head = html("tr", {}, ...heading.map((word) => html("th", { scope: "col" }, word)));
  const body = shown.map((row) => html("tr", {}, ...row.map(cell)));
  const made = html(
    "table",
    {},
    html("caption", { class: "unseen" }, `Data of: ${title}`),
    html("thead", {}, head),
    html("tbody", {}, ...body),
  );
  const scroller = html(
    "div",
    { class: "scroller", tabindex: 0, role: "region", "aria-label": `Data of: ${title}` },
    made,
  );
  return [html("p", { class: "note" }, note), scroller];
}

function cell(value: string | number | null): HTMLElement {
  if (typeof value === "number") return html("td", { class: "number" }, number(value));
  return html("td", {}, value ?? "–");
}

/** RFC 4180. */
export function csv({ heading, rows }: Table): string {
  const field = (value: string | number | null) => {
    const text = String(value ?? "");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [heading, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  html("a", { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
