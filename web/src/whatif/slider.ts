// A number of a range: a slider, and the number itself to type.

import { html } from "../dom";
import { type Changed, said, Widget } from "./control";
import type { Range } from "./protocol";
import { numberAt, PLACES, placeOf } from "./quantities";

// A key moves a slider by so many of its places.
const STEP = 10;

export class Slider extends Widget<Range> {
  readonly #slider: HTMLInputElement;
  readonly #typed: HTMLInputElement;
  #byKeys = false;

  /** `ended` ends a gesture. */
  constructor(
    control: Range,
    name: string,
    readonly changed: Changed,
    ended: () => void,
  ) {
    super(control, name);
    this.#slider = html("input", { type: "range", id: this.id, min: 0, max: PLACES, step: 1 });
    this.#typed = html("input", { type: "number", step: "any", "aria-label": `${name}, typed` });
    const unit = html("span", { class: "unit" }, control.unit);
    this.finish(html("div", { class: "range" }, this.#slider, this.#typed, unit));
    this.#slider.addEventListener("input", () => this.#change(this.#pointed(), "drag"));
    // A slider says `change` when the pointer lets go, and after each key.
    this.#slider.addEventListener("change", () => this.#byKeys || ended());
    this.#slider.addEventListener("pointerdown", () => {
      this.#byKeys = false;
      ended();
    });
    this.#slider.addEventListener("keydown", (event) => this.#key(event));
    this.#slider.addEventListener("blur", ended);
    this.#typed.addEventListener("change", () => this.#type());
    this.#typed.addEventListener("keydown", ({ key }) => key === "Enter" && this.#type());
  }

  protected put(): void {
    const { value } = this.control;
    this.#slider.value = String(placeOf(value, this.control));
    this.#slider.setAttribute("aria-valuetext", said(this.control));
    if (this.#typed.value === "" || Number(this.#typed.value) !== value) {
      this.#typed.value = String(value);
    }
  }

  protected inputs(): HTMLElement[] {
    return [this.#slider, this.#typed];
  }

  #pointed(): number {
    return numberAt(Number(this.#slider.value), this.control);
  }

  /** Keys move by what can be seen to change, also where many values share a place. */
  #key(event: KeyboardEvent): void {
    this.#byKeys = true;
    const ways: Record<string, number> = {
      ArrowRight: 1,
      ArrowUp: 1,
      ArrowLeft: -1,
      ArrowDown: -1,
    };
    const way = ways[event.key];
    if (way === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const { value, min, max, step } = this.control;
    const next = numberAt(placeOf(value, this.control) + way * STEP, this.control);
    const moved = (next - value) * way > 0 ? next : value + way * step;
    this.#change(Math.min(max, Math.max(min, moved)), "keys");
  }

  #type(): void {
    if (this.#typed.value !== "") this.#change(Number(this.#typed.value));
  }

  #change(value: number, gesture?: string): void {
    const { path, suffix } = this.control;
    this.control = { ...this.control, value };
    this.put();
    const sets = [`${path}=${value}${suffix}`];
    this.changed({ path, sets, gesture: gesture && `${gesture} ${path}` });
  }
}
