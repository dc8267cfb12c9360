// Marks out a part of a chart by dragging over it.

import type { Box } from "./chart";
import { html } from "./dom";

// A shorter drag counts as a click.
const SHORTEST = 6;

export class Drag {
  readonly element = html("div", { class: "selection", hidden: true });
  #from: number | undefined;

  get going(): boolean {
    return this.#from !== undefined;
  }

  start(x: number): void {
    this.#from = x;
  }

  /** Shows what is marked out so far. */
  move(x: number, { left, top, height }: Box): void {
    const from = this.#from ?? x;
    this.element.hidden = false;
    Object.assign(this.element.style, {
      left: `${left + Math.min(from, x)}px`,
      top: `${top}px`,
      width: `${Math.abs(x - from)}px`,
      height: `${height}px`,
    });
  }

  /** Ends it, and returns the pixels that were marked out, if any. */
  end(x: number): [from: number, to: number] | undefined {
    const from = this.#from ?? x;
    this.#from = undefined;
    this.element.hidden = true;
    return Math.abs(x - from) < SHORTEST ? undefined : [Math.min(from, x), Math.max(from, x)];
  }
}
