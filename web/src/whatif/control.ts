// What every control has: its label, what its range follows from, and why its value is refused.

import { html } from "../dom";
import { quantity } from "../format";
import type { Control } from "./protocol";

/** What a reader did with the control at a path. */
export interface Act {
  path: string;
  /** The changes, each `path=value`. */
  sets: string[];
  /** What was chosen, where something is chosen. */
  label?: string;
  /** Acts of one gesture, as a drag, are one step. */
  gesture?: string;
}

export type Changed = (act: Act) => void;

/** The value of a control in words. */
export function said(control: Control): string {
  return control.kind === "range"
    ? quantity(control.value, control.unit)
    : (control.choices[control.value ?? -1]?.label ?? "");
}

let made = 0;

export abstract class Widget<C extends Control = Control> {
  readonly element: HTMLElement;
  protected readonly id = `control-${made++}`;
  readonly #was = html("span", { class: "was" });
  readonly #why: HTMLElement;
  readonly #refused: HTMLElement;

  constructor(
    protected control: C,
    protected readonly name: string,
  ) {
    this.#why = html("p", { class: "why", id: `${this.id}-why` });
    this.#refused = html("p", { class: "refused", id: `${this.id}-refused`, hidden: true });
    const label = html("label", { for: this.id }, name);
    const head = html("div", { class: "named" }, label, this.#was);
    this.element = html("div", { class: "control" }, head);
  }

  /** Shows what there is now, and what there was before all changes. */
  show(control: C, before: Control | undefined): void {
    this.control = control;
    this.#why.textContent = control.why;
    const old = before === undefined ? "" : said(before);
    this.#was.textContent = old && old !== said(control) ? `before: ${old}` : "";
    this.put();
  }

  /** Says why the value is refused; nothing if it is not. */
  refuse(why: string): void {
    this.#refused.textContent = why;
    this.#refused.hidden = why === "";
    for (const input of this.inputs()) {
      if (why) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
  }

  /** Puts the control's value into its inputs. */
  protected abstract put(): void;
  protected abstract inputs(): HTMLElement[];

  /** Adds the inputs, once they are made. */
  protected finish(...parts: HTMLElement[]): void {
    for (const input of this.inputs()) {
      input.setAttribute("aria-describedby", `${this.id}-why ${this.id}-refused`);
    }
    this.element.append(...parts, this.#why, this.#refused);
  }
}
