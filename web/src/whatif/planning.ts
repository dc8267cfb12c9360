// Plan a layout: a form for what is required, and the layouts that meet it, each to be opened.

import type { Point } from "../chart";
import { html } from "../dom";
import type { Layout, Plan, Refusal, Report } from "./protocol";
import { FIELDS, fieldAt, requirement, type Values, valuesOf } from "./requirement";
import type { Beside } from "./shown";

export class Planning {
  readonly element: HTMLDetailsElement;
  readonly #inputs = new Map<string, HTMLInputElement>();
  readonly #refused = new Map<string, HTMLElement>();

  /** `planned` takes a requirement; `regions` are those with prices. */
  constructor(regions: readonly string[], planned: (requirement: string) => void) {
    const fields = FIELDS.map(({ name, label, example }) => this.#field(name, label, example));
    const known = regions.map((value) => html("option", { value }));
    const form = html(
      "form",
      {},
      html("div", { class: "main" }, ...fields),
      html("datalist", { id: "regions" }, ...known),
      html("button", {}, "Plan"),
    );
    this.#inputs.get("region")?.setAttribute("list", "regions");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      planned(requirement(this.#values()));
    });
    const summary = html("summary", {}, "Plan a layout for a load");
    this.element = html("details", { class: "more" }, summary, form);
  }

  /** Shows a requirement in the form, as far as the form can say it. */
  show(text: string): void {
    this.element.open = true;
    this.refuse(undefined);
    const values = valuesOf(text);
    for (const [name, input] of this.#inputs) input.value = values?.[name] ?? "";
  }

  /** Says beside its field what is refused; false if there is no such field. */
  refuse(refusal: Refusal | undefined): boolean {
    const name = fieldAt(refusal?.path ?? "\n")?.name;
    for (const [own, said] of this.#refused) {
      said.textContent = own === name ? (refusal?.message ?? "") : "";
      said.hidden = own !== name;
      if (own === name) this.#inputs.get(own)?.setAttribute("aria-invalid", "true");
      else this.#inputs.get(own)?.removeAttribute("aria-invalid");
    }
    return name !== undefined;
  }

  #values(): Values {
    return Object.fromEntries([...this.#inputs].map(([name, { value }]) => [name, value]));
  }

  #field(name: string, label: string, example: string): HTMLElement {
    const id = `plan-${name}`;
    const hint = { placeholder: example, "aria-describedby": `${id}-refused` };
    const input = html("input", { id, name, autocomplete: "off", ...hint });
    const refused = html("p", { class: "refused", id: `${id}-refused`, hidden: true });
    this.#inputs.set(name, input);
    this.#refused.set(name, refused);
    return html("div", { class: "control" }, html("label", { for: id }, label), input, refused);
  }
}

/** A plan as what is shown of it; `open` takes the scenario of the layout that is chosen. */
export function report(
  { buy, tiles, layouts, figures }: Plan,
  open: (scenario: string) => void,
): [Report, Beside] {
  const said = { headline: buy, conclusion: [], tiles, before: [], passages: [], figures };
  const pick = (point: Point) => {
    const layout = layouts.find((layout) => isAt(layout, point));
    if (layout) open(layout.scenario);
  };
  return [said, { more: [listed(layouts, open)], pick }];
}

/** Whether a point of the chart is this layout's. */
function isAt({ usd_per_month, p99_ms }: Layout, [x, y]: Point): boolean {
  const isClose = (one: number, other: number) => Math.abs(one - other) <= 1e-6 * Math.abs(one);
  return p99_ms !== null && isClose(usd_per_month, x) && isClose(p99_ms, y);
}

function listed(all: readonly Layout[], open: (scenario: string) => void): HTMLElement {
  const rows = all.map((layout) => {
    const { label, usd_per_month, p99_ms, on_frontier, scenario } = layout;
    const button = html("button", { type: "button", "aria-label": `Open ${label}` }, "Open");
    button.addEventListener("click", () => open(scenario));
    const cells = [
      label,
      `$${usd_per_month.toLocaleString("en", { maximumFractionDigits: 0 })}`,
      p99_ms === null ? "" : `${p99_ms.toPrecision(3)} ms`,
      on_frontier ? "yes" : "",
    ];
    return html(
      "tr",
      {},
      ...cells.map((cell, at) => html("td", { class: at > 0 && at < 3 && "number" }, cell)),
      html("td", {}, button),
    );
  });
  const heads = ["layout", "a month", "p99", "on the Pareto frontier", ""].map((head) =>
    head ? html("th", { scope: "col" }, head) : html("td"),
  );
  const table = html(
    "table",
    {},
    html("caption", {}, "Layouts: open one to change and simulate it"),
    html("thead", {}, html("tr", {}, ...heads)),
    html("tbody", {}, ...rows),
  );
  const scroller = { class: "scroller", tabindex: 0, role: "region", "aria-label": "Layouts" };
  return html("section", { class: "layouts" }, html("div", scroller, table));
}
