// The scenario as YAML, to type in: line numbers beside it, errors below it with their lines.

import { html } from "../dom";
import type { Refusal } from "./protocol";

export class Editor {
  readonly element: HTMLElement;
  readonly #area = html("textarea", {
    id: "yaml",
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    wrap: "off",
    rows: 18,
    "aria-describedby": "yaml-errors",
  });
  readonly #numbers = html("div", { class: "numbers", "aria-hidden": "true" });
  readonly #errors = html("ul", { class: "errors", id: "yaml-errors" });

  /** `typed` takes the text as it is typed, `ended` ends the typing. */
  constructor(typed: (text: string) => void, ended: () => void) {
    this.element = html(
      "div",
      { class: "editor" },
      html("label", { for: "yaml" }, "Scenario as YAML"),
      html("div", { class: "lines" }, this.#numbers, this.#area),
      this.#errors,
    );
    this.#area.addEventListener("input", () => {
      this.#number();
      typed(this.#area.value);
    });
    this.#area.addEventListener("change", ended);
    this.#area.addEventListener("blur", ended);
    this.#area.addEventListener("scroll", () => {
      this.#numbers.scrollTop = this.#area.scrollTop;
    });
  }

  get text(): string {
    return this.#area.value;
  }

  /** Shows a text. Where one is typed right now, it stays. */
  show(text: string): void {
    if (this.#area.value !== text) this.#area.value = text;
    this.#number();
  }

  /** Says what is wrong with the text, with links to the lines. */
  refuse(refusal: Refusal | undefined): void {
    if (refusal) this.#area.setAttribute("aria-invalid", "true");
    else this.#area.removeAttribute("aria-invalid");
    this.#errors.replaceChildren(...(refusal ? [html("li", {}, ...this.#said(refusal))] : []));
    const marked = refusal?.line ?? 0;
    [...this.#numbers.children].forEach((number, at) => {
      number.classList.toggle("wrong", at + 1 === marked);
    });
  }

  #said({ message, line, column }: Refusal): (Node | string)[] {
    if (line === null) return [message];
    const link = html("button", { type: "button", class: "link" }, `Line ${line}`);
    link.addEventListener("click", () => this.#go(line, column ?? 1));
    return [link, `: ${message}`];
  }

  /** Puts the cursor at a place of the text, and marks what is left of its line. */
  #go(line: number, column: number): void {
    const lines = this.#area.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const end = start + (lines[line - 1]?.length ?? 0);
    this.#area.focus();
    this.#area.setSelectionRange(Math.min(end, start + column - 1), end);
    const height = this.#area.scrollHeight / Math.max(1, lines.length);
    this.#area.scrollTop = Math.max(0, (line - 4) * height);
  }

  #number(): void {
    const count = this.#area.value.split("\n").length;
    const numbers = this.#numbers;
    while (numbers.childElementCount > count) numbers.lastElementChild?.remove();
    while (numbers.childElementCount < count) {
      numbers.append(html("div", {}, String(numbers.childElementCount + 1)));
    }
    numbers.scrollTop = this.#area.scrollTop;
  }
}
