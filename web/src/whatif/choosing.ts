// The choice among the scenarios of a page: its runs, or examples by group.

import { html } from "../dom";
import type { Given } from "./given";

export class Choosing {
  readonly element: HTMLElement;
  readonly #select = html("select", { id: "scenario" });
  readonly #own = html("option", { value: "" }, "planned");

  /** `chosen` takes the name of a scenario. */
  constructor({ scenarios }: Given, chosen: (name: string) => void) {
    const groups = [...new Set(scenarios.map(({ group }) => group))];
    const options = groups.flatMap((group) => {
      const own = scenarios
        .filter((scenario) => scenario.group === group)
        .map(({ name }) => html("option", { value: name }, name));
      return group ? [html("optgroup", { label: group }, ...own)] : own;
    });
    this.#select.append(...options);
    this.#select.addEventListener("change", () => chosen(this.#select.value));
    const label = html("label", { for: "scenario" }, "Scenario");
    this.element = html("div", { class: "choosing" }, label, this.#select);
    this.element.hidden = scenarios.length < 2;
  }

  /** The name of a scenario; undefined for one that is none of the page's. */
  show(name: string | undefined): void {
    if (name === undefined) this.#select.prepend(this.#own);
    else this.#own.remove();
    this.#select.value = name ?? "";
  }
}
