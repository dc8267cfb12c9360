// One of several. What cannot be chosen here says why.

import { html } from "../dom";
import { type Changed, Widget } from "./control";
import type { Choice } from "./protocol";

export class Select extends Widget<Choice> {
  readonly #select: HTMLSelectElement;
  #listed = "";

  constructor(control: Choice, name: string, changed: Changed) {
    super(control, name);
    this.#select = html("select", { id: this.id });
    this.#select.addEventListener("change", () => {
      const { path, choices } = this.control;
      const { sets = [], label } = choices[this.#select.selectedIndex] ?? {};
      if (sets.length > 0) changed({ path, sets, label });
    });
    this.finish(this.#select);
  }

  protected put(): void {
    const { choices, value } = this.control;
    const listed = choices.map(({ label, refused }) => `${label} ${refused}`).join("\n");
    if (listed !== this.#listed) this.#select.replaceChildren(...this.#options());
    this.#listed = listed;
    this.#select.selectedIndex = value ?? -1;
  }

  protected inputs(): HTMLElement[] {
    return [this.#select];
  }

  #options(): HTMLElement[] {
    return this.control.choices.map(({ label, refused }) =>
      html("option", { disabled: refused !== null }, refused ? `${label} (${refused})` : label),
    );
  }
}
