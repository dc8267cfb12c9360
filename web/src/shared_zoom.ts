// What figures with the same x axis share: the part that is shown, and the place pointed at.

import type { Window } from "./chart";

export class SharedZoom {
  #window: Window | undefined;
  #whole: Window | undefined;
  readonly #onWindow: (() => void)[] = [];
  readonly #onPlace: ((place: number | undefined) => void)[] = [];

  /** The part that is shown. */
  get window(): Window | undefined {
    return this.#window ?? this.#whole;
  }

  /** Whether less than all is shown. */
  get zoomed(): boolean {
    return this.#window !== undefined;
  }

  /** Makes the whole at least this wide, so that figures with less still line up. */
  cover(extent: Window): void {
    const [from, to] = this.#whole ?? extent;
    this.#whole = [Math.min(from, extent[0]), Math.max(to, extent[1])];
  }

  /** Forgets how wide the whole is, as other data come. */
  uncover(): void {
    this.#whole = undefined;
  }

  listen(onWindow: () => void, onPlace: (place: number | undefined) => void): void {
    this.#onWindow.push(onWindow);
    this.#onPlace.push(onPlace);
  }

  /** Shows a part, as far as there is data, or everything. */
  show(window: Window | undefined): void {
    this.#window = window && this.#within(window);
    for (const listener of this.#onWindow) listener();
  }

  /** Points at a place, or at nothing. */
  point(place: number | undefined): void {
    for (const listener of this.#onPlace) listener(place);
  }

  #within([from, to]: Window): Window | undefined {
    const [first, last] = this.#whole ?? [from, to];
    const hair = (last - first) * 1e-9;
    const within: Window = [Math.max(first, from), Math.min(last, to)];
    const all = within[0] <= first + hair && within[1] >= last - hair;
    return all || within[1] - within[0] <= hair ? undefined : within;
  }
}
