// Curves with x values of their own, and a marker at each point if there are few; or the points
// alone.

import type { Box, Chart, Key, Table, View, Window } from "./chart";
import { svg } from "./dom";
import type { Curve, Curves } from "./figure";
import { isTime, measured, place } from "./format";
import { box, Frame } from "./frame";
import { type Mark, Marks, Pointed } from "./marks";
import { dashes, tint } from "./paint";
import { over, Scale } from "./scale";

const FEW = 40;

// The x axis ends at a value that is round at this width.
const USUAL = 900;

// Markers with about the same area, one for each colour.
const SHAPES = [
  "M-3,-3h6v6h-6z",
  "M0,-4L4,3H-4z",
  "M-3.4,0a3.4,3.4 0 1 0 6.8,0a3.4,3.4 0 1 0 -6.8,0",
  "M0,-4.4L4.4,0L0,4.4L-4.4,0z",
];

export class CurvesChart extends Pointed implements Chart {
  readonly keys: Key[];
  readonly shares = "";
  readonly extent: Window;
  x!: Scale;
  #y!: Scale;

  constructor(readonly data: Curves) {
    super();
    this.keys = data.curves.map(({ label, colour, dash }) => ({
      label,
      colour,
      dash: dashes(dash),
    }));
    const places = points(data.curves).map(([at]) => at);
    const { from, to } = over(data.x, places, USUAL, "x");
    this.extent = [from, to];
  }

  draw(host: HTMLElement, { width, height, window, hidden }: View): Box {
    const { x, y, levels, curves } = this.data;
    const shown = curves.filter((_, i) => !hidden.has(i));
    const place = box({ width, height });
    this.x = new Scale(x, ...(window ?? this.extent), place.width, "x");
    const seen = points(shown)
      .filter(([at]) => this.x.has(at))
      .map(([, value]) => value);
    this.#y = over(y, [...seen, ...levels.map(({ value }) => value)], place.height, "y");
    const frame = new Frame(place).across(this.x).up(this.#y).levels(levels, this.#y);
    frame.plot.append(...shown.map((curve) => this.#line(curve)));
    frame.fill(host);
    this.marks = new Marks(shown.map((curve) => this.#points(curve)));
    return place;
  }

  table = (): Table => {
    const { x, y, curves } = this.data;
    const named = (axis: typeof x) => (axis.unit ? `${axis.label} (${axis.unit})` : axis.label);
    return {
      heading: ["curve", named(x), named(y), "point"],
      rows: curves.flatMap(({ label, points }) => points.map((point) => [label, ...point])),
    };
  };

  #line(curve: Curve): SVGElement {
    const { points, colour, dash, marked, joined } = curve;
    const placed = points.map(([x, y]) => [this.x.at(x), this.#y.at(y)]);
    const drawn = placed.filter((place) => place.every(Number.isFinite));
    const path = drawn
      .map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)},${y.toFixed(1)}`)
      .join("");
    const group = tint(svg("g", { class: "curve" }), colour);
    if (joined) {
      group.append(svg("path", { class: "stroke", d: path, "stroke-dasharray": dashes(dash) }));
    }
    if (!joined || drawn.length <= FEW) {
      const shape = SHAPES[(colour ?? 0) % SHAPES.length];
      for (const [x, y] of drawn) {
        group.append(svg("path", { class: "marker", d: shape, transform: `translate(${x},${y})` }));
      }
    }
    const [number, what] = marked ?? [-1, ""];
    if (placed[number]?.every(Number.isFinite)) {
      const [x, y] = placed[number];
      const left = x > this.x.pixels / 2;
      group.append(
        svg("circle", { class: "marked", cx: x, cy: y, r: 7 }),
        svg(
          "text",
          {
            class: "marked-label",
            x: x + (left ? -11 : 11),
            y: y - 9,
            "text-anchor": left ? "end" : "start",
          },
          what,
        ),
      );
    }
    return group;
  }

  #points({ label, colour, points }: Curve): Mark[] {
    const { x, y } = this.data;
    const marks = points.map(([at, value, what]) => ({
      left: this.x.at(at),
      top: this.#y.at(value),
      width: 0,
      height: 0,
      place: at,
      read: () => ({
        head: what || (isTime(x) ? place(at, x) : label),
        values: [
          { label: x.label, value: place(at, x) },
          { label: `${label}, ${y.label}`, value: measured(value, y), colour },
        ],
      }),
    }));
    return marks.filter(
      ({ left, top }) => Number.isFinite(top) && left >= -1 && left <= this.x.pixels + 1,
    );
  }
}

function points(curves: readonly Curve[]): Curve["points"] {
  return curves.flatMap(({ points }) => points);
}
