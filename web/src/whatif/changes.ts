// The changes as a list, which is on paper too.

import { html } from "../dom";
import type { Controls } from "./controls";
import { pathOf, type State } from "./state";

export class Changes {
  readonly element = html("div", { class: "changes", hidden: true });

  constructor(readonly controls: Controls) {}

  show({ text, sets }: State): void {
    const typed = text === null ? [] : [html("li", {}, "The scenario was edited as YAML.")];
    const items = sets.map((set) => html("li", {}, ...this.#said(set)));
    this.element.hidden = typed.length + items.length === 0;
    this.element.replaceChildren(html("h3", {}, "Changes"), html("ul", {}, ...typed, ...items));
  }

  #said(set: string): (Node | string)[] {
    const path = pathOf(set);
    const [label, before] = [this.controls.labelOf(path), this.controls.beforeOf(path)];
    const value = this.controls.said(path, set.slice(path.length + 1));
    const from = before === undefined ? "" : `, before ${this.controls.said(path, before)}`;
    return [`${label}: `, html("strong", {}, value), from];
  }
}
