// The axes of a chart, and what is drawn across its plot: levels and spans.

import type { Box } from "./chart";
import { svg } from "./dom";
import type { Level, Span } from "./figure";
import { heading } from "./format";
import type { Scale } from "./scale";

const LEFT = 58;
const RIGHT = 18;
const BELOW = 40;
const HEADING = 22;
const SPANS = 16;

// The approximate width of a letter in the text beside axes.
const LETTER = 6.2;

interface Margins {
  width: number;
  height: number;
  /** Room for words at the left, if they need more than numbers. */
  left?: number;
  /** Whether there is a y axis, with a heading above it. */
  headed?: boolean;
  spans?: readonly Span[];
}

/** The place of the plot in a chart of this size. */
export function box({ width, height, left = LEFT, headed = true, spans = [] }: Margins): Box {
  const top = (headed ? HEADING : 6) + (spans.length > 0 ? SPANS : 0);
  return { left, top, width: Math.max(40, width - left - RIGHT), height: height - top - BELOW };
}

/** Room for the longest of some words, at most two fifths of the width. */
export function roomFor(words: readonly string[], width: number): number {
  const longest = words.reduce((most, word) => Math.max(most, word.length), 0);
  return Math.min(Math.max(LEFT, 12 + LETTER * longest), 0.4 * width);
}

/** The part of a word that fits. */
export function fitting(word: string, room: number): string {
  const letters = Math.floor(room / LETTER);
  return word.length <= letters ? word : letters < 3 ? "" : `${word.slice(0, letters - 1)}…`;
}

export class Frame {
  /** Words and the plot, above what the chart itself draws. */
  readonly root: SVGSVGElement;
  /** Grid lines and bands, below it. */
  readonly #back: SVGSVGElement;
  /** What is drawn here is clipped to the plot. */
  readonly plot: SVGElement;

  constructor(readonly box: Box) {
    const { left, top, width, height } = box;
    this.plot = svg("svg", { x: left, y: top, width, height, class: "plot" });
    const size = { width: left + width + RIGHT, height: top + height + BELOW };
    this.root = svg("svg", { ...size, "aria-hidden": "true", class: "frame" }, this.plot);
    this.#back = svg("svg", { ...size, "aria-hidden": "true", class: "back" });
  }

  /** Fills `host`, with `drawn` between the grid and the words. */
  fill(host: HTMLElement, ...drawn: HTMLElement[]): void {
    host.replaceChildren(this.#back, ...drawn, this.root);
  }

  /** The x axis below, its lines behind the plot. */
  across(x: Scale): this {
    const { left, top, width, height } = this.box;
    for (const { value, label } of x.ticks()) {
      const at = left + x.at(value);
      this.#back.append(svg("line", { class: "grid", x1: at, x2: at, y1: top, y2: top + height }));
      this.#text(at, top + height + 16, label, "middle", "tick");
    }
    this.#text(left + width, top + height + 34, heading(x.axis, x.unit), "end", "title");
    return this;
  }

  /** The y axis at the left. */
  up(y: Scale): this {
    const { left, top, width } = this.box;
    for (const { value, label } of y.ticks()) {
      const at = top + y.at(value);
      this.#back.append(svg("line", { class: "grid", x1: left, x2: left + width, y1: at, y2: at }));
      this.#text(left - 8, at + 3.5, label, "end", "tick");
    }
    this.#text(0, 11, heading(y.axis, y.unit), "start", "title");
    return this;
  }

  /** Words beside rows, whose middles are given. */
  beside(words: readonly string[], middle: (row: number) => number): this {
    const { left, top } = this.box;
    let last = Number.NEGATIVE_INFINITY;
    words.forEach((word, row) => {
      if (middle(row) - last < 11) return;
      last = middle(row);
      this.#text(left - 8, top + last + 3.5, fitting(word, left - 12), "end", "tick");
    });
    return this;
  }

  /** Levels across the plot. The words of one that would lie on another's are left out. */
  levels(levels: readonly Level[], scale: Scale): this {
    const { width, height } = this.box;
    const upright = scale.way === "x";
    const written: number[] = [];
    for (const { label, value } of levels) {
      if (!scale.has(value)) continue;
      const at = scale.at(value);
      const line = upright
        ? { x1: at, x2: at, y1: 0, y2: height }
        : { x1: 0, x2: width, y1: at, y2: at };
      this.plot.append(svg("line", { class: "level", ...line }));
      if (written.some((other) => Math.abs(other - at) < 13)) continue;
      written.push(at);
      const above = at > 14 ? at - 4 : at + 12;
      const place = upright ? { x: at - 4, y: 11 } : { x: width - 4, y: above };
      const room = LETTER * label.length;
      this.plot.append(
        svg("rect", {
          class: "behind",
          x: place.x - room,
          y: place.y - 10,
          width: room,
          height: 13,
        }),
        svg("text", { ...place, class: "level-label", "text-anchor": "end" }, label),
      );
    }
    return this;
  }

  /** Spans as bands with a name above; one without length is an event, a line. */
  spans(spans: readonly Span[], x: Scale): this {
    const { left, top, width, height } = this.box;
    spans.forEach(({ label, start, end }, number) => {
      const from = Math.max(0, x.at(start));
      const to = Math.min(width, x.at(end));
      if (from > to || start === end) return;
      if (number % 2 === 0) {
        this.#back.append(
          svg("rect", { class: "band", x: left + from, y: top, width: to - from, height }),
        );
      }
      const word = fitting(label, to - from - 4);
      if (word) this.#text(left + from + 2, top - 5, word, "start", "span");
    });
    const moments = spans.filter((span) => span.start === span.end);
    return this.#moments(moments.map((span) => ({ at: x.at(span.start), label: span.label })));
  }

  /** Lines, with their words at the right, or at the left where there is more room. */
  #moments(moments: { at: number; label: string }[]): this {
    const { left, top, width, height } = this.box;
    const seen = moments.filter(({ at }) => at >= 0 && at <= width).sort((a, b) => a.at - b.at);
    let taken = 0;
    seen.forEach(({ at, label }, number) => {
      this.plot.append(svg("line", { class: "event", x1: at, x2: at, y1: 0, y2: height }));
      const after = (seen[number + 1]?.at ?? width) - at;
      const before = at - taken;
      const word = fitting(label, Math.max(after, before) - 4);
      if (!word) return;
      const onward = after >= before || fitting(label, after - 4) === label;
      this.#text(left + at, top - 5, word, onward ? "start" : "end", "span");
      taken = onward ? at + LETTER * word.length + 4 : at;
    });
    return this;
  }

  #text(x: number, y: number, words: string, anchor: string, kind: string): void {
    this.root.append(svg("text", { x, y, "text-anchor": anchor, class: kind }, words));
  }
}
