// The changes as a list, which is on paper too.

import { html } from "../dom";
import type { Controls } from "./controls";
import { pathOf, type State } from "./state";

export class Changes {
  readonly element = html("div", { class: "changes", hidden: true });

  constructor(readonly controls: Controls) {}

  show({ text, sets }: State): void {
    const items = [
      ...(text === null ? [] : [["The scenario was edited as YAML."]]),
      ...this.controls
        .differences()
        .map(({ label, now, before }) => [
          `${label}: `,
          html("strong", {}, now),
          `, before ${before}`,
        ]),
      // What no control is of was set in the address.
      ...sets.filter((set) => !this.#isKnown(set)).map((set) => [html("code", {}, set)]),
    ];
    this.element.hidden = items.length === 0;
    this.element.replaceChildren(
      html("h3", {}, "Changes"),
      html("ul", {}, ...items.map((item) => html("li", {}, ...item))),
    );
  }

  #isKnown(set: string): boolean {
    return this.controls.has(pathOf(set)) || set.endsWith("=null");
  }
}
