// Curves with x values of their own, and a marker at each point if there are few; or the points
// alone.

import type { Box, Chart, Key, Table, View, Window } from "./chart";
import { svg } from "./dom";
import type { Curve, Curves } from "./figure";
import { isTime, measured, place } from "./format";
import { box, Frame } from "./frame";
import { type Mark, Marks, Pointed } from "./marks";
import { type Named, names } from "./names";
import { dashes, tint } from "./paint";
import { over, Scale } from "./scale";

const FEW = 40;

// Pixels between places of a line that names keep clear of.
const CLOSE = 6;

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
    this.keys = data.curves.map(({ label, colour, dash, joined }) => ({
      label,
      colour,
      dash: dashes(dash),
      marker: joined ? undefined : shape(colour),
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
    frame.plot.append(...shown.map((curve) => this.#line(curve)), ...this.#names(shown, place));
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
      for (const [x, y] of drawn) {
        group.append(
          svg("path", { class: "marker", d: shape(colour), transform: `translate(${x},${y})` }),
        );
      }
    }
    const [number] = marked ?? [-1];
    if (placed[number]?.every(Number.isFinite)) {
      const [x, y] = placed[number];
      group.append(svg("circle", { class: "marked", cx: x, cy: y, r: 7 }));
    }
    return group;
  }

  /** Names of points: of what is marked first, then of the curves that name theirs. */
  #names(shown: readonly Curve[], plot: Box): SVGElement[] {
    const all = shown.flatMap(({ points, marked, named }) =>
      points.map(([at, value, what], number) => {
        const mark = marked?.[0] === number ? marked[1] : undefined;
        const point: Named = {
          x: this.x.at(at),
          y: this.#y.at(value),
          what: mark ?? what,
          marked: mark !== undefined,
        };
        return { point, wanted: named || point.marked };
      }),
    );
    const seen = all.filter(
      ({ point: { x, y } }) => Number.isFinite(y) && x >= -1 && x <= this.x.pixels + 1,
    );
    const wanted = seen.filter(({ wanted }) => wanted).map(({ point }) => point);
    const first = wanted.sort((one, other) => Number(other.marked) - Number(one.marked));
    // Clouds may be dense: names keep clear of markers and lines only where these are few.
    const lines = shown.filter(({ joined }) => joined).flatMap((curve) => this.#along(curve));
    const drawn = seen.length <= FEW ? [...seen.map(({ point }) => point), ...lines] : [];
    return names(first, drawn, plot);
  }

  /** Places along a curve, so close together that nothing goes through between them. */
  #along({ points }: Curve): { x: number; y: number }[] {
    const placed = points.map(([x, y]) => [this.x.at(x), this.#y.at(y)]);
    return placed.slice(1).flatMap(([x, y], number) => {
      const [fromX, fromY] = placed[number];
      const steps = Math.ceil(Math.hypot(x - fromX, y - fromY) / CLOSE);
      return Array.from({ length: Number.isFinite(steps) ? steps : 0 }, (_, step) => ({
        x: fromX + ((x - fromX) * step) / steps,
        y: fromY + ((y - fromY) * step) / steps,
      }));
    });
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
        point: [at, value] as const,
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

function shape(colour: number | null): string {
  return SHAPES[(colour ?? 0) % SHAPES.length];
}

function points(curves: readonly Curve[]): Curve["points"] {
  return curves.flatMap(({ points }) => points);
}
