// Series over time, drawn by uPlot: if there are more values than pixels, it joins the smallest
// and the largest of each column of pixels, so that no peak is lost, and all values themselves
// can still be read.

import uPlot from "uplot";
import type { Box, Chart, Key, Reading, Table, View, Window } from "./chart";
import { html } from "./dom";
import type { Lines, Series } from "./figure";
import { isTime, measured, place } from "./format";
import { box, Frame } from "./frame";
import { dashes, paint, resolved, segments } from "./paint";
import { over, Scale } from "./scale";

const WIDTH = 1.5;

// A printer has this many dots per pixel.
const PAPER = 3;

// A level this far above all values would flatten them.
const FAR_ABOVE = 2.5;

export class LinesChart implements Chart {
  readonly keys: Key[];
  readonly shares: string;
  readonly extent: Window;
  x!: Scale;
  #y!: Scale;
  #hidden: ReadonlySet<number> = new Set();
  #drawn: uPlot | undefined;
  #finer = 1;

  constructor(readonly data: Lines) {
    this.keys = data.series.map(({ label, colour, dash }) => ({
      label,
      colour,
      dash: dashes(dash),
    }));
    this.shares = isTime(data.x) ? data.x.label : "";
    this.extent = [data.at[0] ?? 0, data.at[data.at.length - 1] ?? 1];
  }

  draw(host: HTMLElement, { width, height, window, paper, hidden }: View): Box {
    const { levels, spans } = this.data;
    this.#hidden = hidden;
    this.#finer = paper ? PAPER : 1;
    const place = box({ width, height, spans });
    const [from, to] = window ?? this.extent;
    this.x = new Scale(this.data.x, from, to, place.width, "x");
    this.#y = this.#upright(place.height);
    const frame = new Frame(place).across(this.x).up(this.#y);
    frame.spans(spans, this.x).levels(levels, this.#y);
    const layer = html("div", { class: "layer" });
    layer.style.left = `${place.left}px`;
    layer.style.top = `${place.top}px`;
    frame.fill(host, layer);
    this.#drawn?.destroy();
    this.#drawn = this.#plot(layer, place);
    return place;
  }

  drop(): void {
    this.#drawn?.destroy();
    this.#drawn = undefined;
  }

  near(x: number): Reading | undefined {
    const { at } = this.data;
    if (at.length === 0) return undefined;
    const value = this.x.value(x);
    const after = firstAtLeast(at, value);
    const nearer = after > 0 && value - at[after - 1] < at[after] - value;
    return this.#reading(nearer || after === at.length ? after - 1 : after);
  }

  step(from: Reading | undefined, right: number): Reading | undefined {
    const { at } = this.data;
    const first = firstAtLeast(at, this.x.from);
    const last =
      firstAtLeast(at, this.x.to * (1 + Number.EPSILON)) - (this.x.has(at[at.length - 1]) ? 0 : 1);
    if (!from) return this.#reading(first);
    const number = firstAtLeast(at, from.place ?? 0) + right;
    return this.#reading(Math.max(first, Math.min(last, at.length - 1, number)));
  }

  table = (): Table => {
    const { x, y, at, series } = this.data;
    const unit = y.unit ? ` (${y.unit})` : "";
    return {
      heading: [
        x.unit ? `${x.label} (${x.unit})` : x.label,
        ...series.map(({ label }) => label + unit),
      ],
      rows: at.map((value, i) => [value, ...series.map(({ values }) => values[i])]),
    };
  };

  #shown(): Series[] {
    return this.data.series.filter((_, i) => !this.#hidden.has(i));
  }

  /** The visible values, and one more at each end, to which a line leads. */
  #seen(): [first: number, end: number] {
    const { at } = this.data;
    const first = firstAtLeast(at, this.x.from) - 1;
    return [Math.max(0, first), firstAtLeast(at, this.x.to) + 1];
  }

  /** The y axis: over what is to be seen, and levels that are not far off. */
  #upright(height: number): Scale {
    const { y, levels } = this.data;
    const nothing = y.scale === "log" ? 0 : Number.NEGATIVE_INFINITY;
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { values } of this.#shown()) {
      for (const value of values.slice(...this.#seen())) {
        if (value === null || value <= nothing) continue;
        if (value < least) least = value;
        if (value > most) most = value;
      }
    }
    const far = most > 0 ? FAR_ABOVE * most : Number.POSITIVE_INFINITY;
    const near = levels.map(({ value }) => value).filter((value) => value <= far);
    return over(y, [least, most, ...near], height, "y");
  }

  #plot(layer: HTMLElement, { width, height }: Box): uPlot {
    const [x, y] = [this.x, this.#y];
    const seen = this.#seen();
    const rows = [this.data.at, ...this.data.series.map(({ values }) => values)];
    const measured = rows.map((row, i) => (i === 0 ? x : y).measured(row.slice(...seen)));
    const scale = ({ measure }: Scale) => ({ time: false, auto: false, range: () => measure });
    layer.style.transform = `scale(${1 / this.#finer})`;
    return new uPlot(
      {
        width: width * this.#finer,
        height: height * this.#finer,
        padding: [0, 0, 0, 0],
        cursor: { show: false },
        legend: { show: false },
        axes: [{ show: false }, { show: false }],
        scales: { x: scale(x), y: scale(y) },
        series: [{}, ...this.data.series.map((series, i) => this.#series(layer, series, i))],
      },
      measured as uPlot.AlignedData,
      layer,
    );
  }

  #series(layer: HTMLElement, series: Series, number: number): uPlot.Series {
    const colour = resolved(layer, paint(series.colour));
    return {
      show: !this.#hidden.has(number),
      stroke: colour,
      width: WIDTH * this.#finer,
      dash: segments(series.dash).map((length) => length * this.#finer),
      paths: series.stepped ? stepped : joined,
      points: { show: true, size: 4 * this.#finer, fill: colour, filter: alone },
    };
  }

  #reading(number: number): Reading | undefined {
    const { x, y, at, series } = this.data;
    const value = at[number];
    if (value === undefined) return undefined;
    const values = series.flatMap(({ label, colour, values }, i) => {
      const here = values[number];
      const shown = here === null ? "none" : measured(here, y);
      return this.#hidden.has(i) ? [] : [{ label, colour, value: shown }];
    });
    return { x: this.x.at(value), y: 0, place: value, head: place(value, x), values };
  }
}

const joined = linesOf(uPlot.paths.linear);
const steps = linesOf(uPlot.paths.stepped, { align: 1 });

// A step that is narrower than a pixel cannot be seen. uPlot thins joined lines, but not steps.
const stepped: uPlot.Series.PathBuilder = (plot, series, first, last) =>
  (last - first > plot.bbox.width ? joined : steps)(plot, series, first, last);

function linesOf<O>(maker: ((options?: O) => uPlot.Series.PathBuilder) | undefined, options?: O) {
  if (!maker) throw new Error("uPlot has no such lines");
  return maker(options);
}

/** The values that no line leads to, and which only a point shows. */
const alone: uPlot.Series.Points.Filter = (plot, series) => {
  const values = plot.data[series];
  const gap = (value: number | null | undefined) => value === null || value === undefined;
  const found: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (!gap(values[i]) && gap(values[i - 1]) && gap(values[i + 1])) found.push(i);
  }
  return found;
};

/** The index of the first of rising values that is at least `value`. */
function firstAtLeast(rising: number[], value: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
