// The controls: a slider with a number beside it, a choice, a switch.

import { html } from "../dom";
import { quantity } from "../format";
import type { Control } from "./protocol";
import { numberAt, numberOf, PLACES, placeOf, suffixOf } from "./quantities";

/** Takes a value as YAML has it. A drag is one gesture, as are keys while they are pressed. */
export type Changed = (path: string, value: string, gesture?: string) => void;

let made = 0;

/** A control with its label, what its range follows from, and why its value is refused. */
export abstract class Widget {
  readonly element: HTMLElement;
  protected readonly id = `control-${made++}`;
  readonly #was = html("span", { class: "was" });
  readonly #why: HTMLElement;
  readonly #refused: HTMLElement;

  constructor(protected control: Control) {
    this.#why = html("p", { class: "why", id: `${this.id}-why` }, control.why);
    this.#refused = html("p", { class: "refused", id: `${this.id}-refused`, hidden: true });
    const label = html("label", { for: this.id }, control.label);
    const head = html("div", { class: "named" }, label, this.#was);
    this.element = html("div", { class: "control" }, head);
  }

  /** Shows what there is now: `value` in place of the control's own, which was `before`. */
  show(control: Control, value: string, before: string | undefined): void {
    this.control = control;
    this.#why.textContent = control.why;
    const changed = before !== undefined && before !== value;
    this.#was.textContent = changed ? `before: ${this.said(before)}` : "";
    this.put(value);
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

  /** A value in words. */
  abstract said(value: string): string;
  protected abstract put(value: string): void;
  protected abstract inputs(): HTMLElement[];

  protected finish(...parts: HTMLElement[]): void {
    for (const input of this.inputs()) {
      input.setAttribute("aria-describedby", `${this.id}-why ${this.id}-refused`);
    }
    this.element.append(...parts, this.#why, this.#refused);
  }
}

class Range extends Widget {
  readonly #slider: HTMLInputElement;
  readonly #typed: HTMLInputElement;
  #value = "";
  #byKeys = false;

  constructor(control: Control, changed: Changed, ended: () => void) {
    super(control);
    this.#slider = html("input", { type: "range", id: this.id, min: 0, max: PLACES, step: 1 });
    this.#typed = html("input", {
      type: "number",
      step: "any",
      "aria-label": `${control.label}, typed`,
    });
    const unit = html("span", { class: "unit" }, control.unit);
    this.finish(html("div", { class: "range" }, this.#slider, this.#typed, unit));
    this.#slider.addEventListener("input", () => {
      this.#change(numberAt(Number(this.#slider.value), this.control), changed, "drag");
    });
    // A slider says `change` when the pointer lets go, and after each key.
    this.#slider.addEventListener("change", () => this.#byKeys || ended());
    this.#slider.addEventListener("pointerdown", () => {
      this.#byKeys = false;
      ended();
    });
    this.#slider.addEventListener("keydown", (event) => this.#key(event, changed));
    this.#slider.addEventListener("blur", ended);
    const typed = () => {
      if (this.#typed.value !== "") this.#change(Number(this.#typed.value), changed);
    };
    this.#typed.addEventListener("change", typed);
    this.#typed.addEventListener("keydown", ({ key }) => key === "Enter" && typed());
  }

  /** Keys move by what can be seen to change, also where many values share a place. */
  #key(event: KeyboardEvent, changed: Changed): void {
    this.#byKeys = true;
    const steps = { ArrowRight: 10, ArrowUp: 10, ArrowLeft: -10, ArrowDown: -10 }[event.key];
    if (steps === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const place = placeOf(numberOf(this.#value), this.control);
    this.#change(numberAt(place + steps, this.control), changed, "keys");
  }

  #change(number: number, changed: Changed, gesture?: string): void {
    const value = `${number}${suffixOf(this.#value)}`;
    this.put(value);
    changed(this.control.path, value, gesture && `${gesture} ${this.control.path}`);
  }

  said(value: string): string {
    const { unit } = this.control;
    return suffixOf(value) ? value : quantity(numberOf(value), unit);
  }

  protected put(value: string): void {
    this.#value = value;
    const number = numberOf(value);
    this.#slider.value = String(placeOf(number, this.control));
    this.#slider.setAttribute("aria-valuetext", this.said(value));
    if (Number(this.#typed.value) !== number || this.#typed.value === "") {
      this.#typed.value = String(number);
    }
  }

  protected inputs(): HTMLElement[] {
    return [this.#slider, this.#typed];
  }
}

class Select extends Widget {
  readonly #select: HTMLSelectElement;
  #listed = "";

  constructor(control: Control, changed: Changed) {
    super(control);
    this.#select = html("select", { id: this.id });
    this.#select.addEventListener("change", () => changed(this.control.path, this.#select.value));
    this.finish(this.#select);
  }

  said(value: string): string {
    return this.control.choices.find((choice) => choice.value === value)?.label ?? value;
  }

  protected put(value: string): void {
    const { choices } = this.control;
    const listed = JSON.stringify([choices, choices.some((one) => one.value === value) || value]);
    if (listed !== this.#listed) this.#select.replaceChildren(...this.#options(value));
    this.#listed = listed;
    this.#select.value = value;
  }

  #options(value: string): HTMLElement[] {
    const { choices } = this.control;
    const known = choices.some((choice) => choice.value === value);
    const own = known ? [] : [html("option", { value }, value)];
    return [
      ...own,
      ...choices.map(({ value, label, refused }) =>
        html(
          "option",
          { value, disabled: refused !== null },
          refused === null ? label : `${label} (${refused})`,
        ),
      ),
    ];
  }

  protected inputs(): HTMLElement[] {
    return [this.#select];
  }
}

class Switch extends Widget {
  readonly #box: HTMLInputElement;

  constructor(control: Control, changed: Changed) {
    super(control);
    this.#box = html("input", { type: "checkbox", role: "switch", id: this.id });
    this.#box.addEventListener("change", () =>
      changed(this.control.path, String(this.#box.checked)),
    );
    this.finish(this.#box);
  }

  said(value: string): string {
    return value === "true" ? "on" : "off";
  }

  protected put(value: string): void {
    this.#box.checked = value === "true";
  }

  protected inputs(): HTMLElement[] {
    return [this.#box];
  }
}

/** `ended` ends a gesture. */
export function widget(control: Control, changed: Changed, ended: () => void): Widget {
  switch (control.kind) {
    case "range":
      return new Range(control, changed, ended);
    case "choice":
      return new Select(control, changed);
    case "switch":
      return new Switch(control, changed);
  }
}
