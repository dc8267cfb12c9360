// Rows of pieces along a common axis, such as the phases of write-daemon cycles.

import type { Box, Chart, Key, Table, View, Window } from "./chart";
import { svg } from "./dom";
import type { Lanes } from "./figure";
import { isTime, measured, place } from "./format";
import { box, Frame, roomFor } from "./frame";
import { type Mark, Marks, Pointed } from "./marks";
import { tint } from "./paint";
import { over, Scale } from "./scale";

// Lanes are as high as there is room for, up to this.
const HIGHEST = 22;
const LOWEST = 4;
const MOST = 440;

// The x axis ends at a value that is round at this width.
const USUAL = 900;

export class LanesChart extends Pointed implements Chart {
  readonly keys: Key[];
  readonly shares: string;
  readonly extent: Window;
  x!: Scale;

  constructor(readonly data: Lanes) {
    super();
    this.keys = data.kinds.map((label, colour) => ({ label, colour, dash: null }));
    this.shares = isTime(data.x) ? data.x.label : "";
    const ends = data.lanes.flatMap(({ pieces }) => pieces.map(([, end]) => end));
    const { from, to } = over(
      data.x,
      [...data.levels.map(({ value }) => value), ...ends],
      USUAL,
      "x",
    );
    this.extent = [from, to];
  }

  draw(host: HTMLElement, { width, window, hidden }: View): Box {
    const { x, lanes, levels } = this.data;
    const labels = lanes.map(({ label }) => label);
    const row = Math.max(LOWEST, Math.min(HIGHEST, MOST / Math.max(1, lanes.length)));
    const height = row * lanes.length + 46;
    const place = box({ width, height, left: roomFor(labels, width), headed: false });
    this.x = new Scale(x, ...(window ?? this.extent), place.width, "x");
    const frame = new Frame(place).across(this.x).beside(labels, (lane) => row * (lane + 0.5));
    const rows = lanes.map((_, lane) => this.#lane(frame.plot, lane, row, hidden));
    frame.levels(levels, this.x).fill(host);
    this.marks = new Marks(rows);
    return place;
  }

  table = (): Table => {
    const { x, kinds, lanes } = this.data;
    const unit = x.unit ? ` (${x.unit})` : "";
    return {
      heading: ["lane", "what", `from${unit}`, `to${unit}`],
      rows: lanes.flatMap(({ label, pieces }) =>
        pieces.map(([start, end, kind]) => [label, kinds[kind], start, end]),
      ),
    };
  };

  /** Draws a lane, and returns what can be pointed at in it. */
  #lane(plot: SVGElement, lane: number, row: number, hidden: ReadonlySet<number>): Mark[] {
    const { x, kinds, lanes } = this.data;
    const { label, pieces } = lanes[lane];
    const gap = row > 8 ? 3 : 0.5;
    const shown = pieces.filter(
      ([start, end, kind]) => !hidden.has(kind) && end > this.x.from && start < this.x.to,
    );
    return shown.map(([start, end, kind]) => {
      const [left, right] = [this.x.at(start), this.x.at(end)];
      const rectangle = { left, top: row * lane + gap, width: right - left, height: row - 2 * gap };
      const { top: y, width, height } = rectangle;
      plot.append(
        tint(svg("rect", { class: "area", x: left, y, width: Math.max(0.5, width), height }), kind),
      );
      const read = () => ({
        head: label,
        values: [
          { label: kinds[kind], value: measured(end - start, x), colour: kind },
          { label: "from", value: place(start, x) },
          { label: "to", value: place(end, x) },
        ],
      });
      return { ...rectangle, place: (start + end) / 2, read };
    });
  }
}
