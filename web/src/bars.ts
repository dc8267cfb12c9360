// Bars of stacked parts, one below the other.

import type { Box, Chart, Key, Table, View } from "./chart";
import { svg } from "./dom";
import type { Bars } from "./figure";
import { measured } from "./format";
import { box, Frame, fitting, roomFor } from "./frame";
import { type Mark, Marks, Pointed } from "./marks";
import { tint } from "./paint";
import { over, type Scale } from "./scale";

const ROW = 26;
const BAR = 18;

export class BarsChart extends Pointed implements Chart {
  readonly keys: Key[];
  readonly shares = "";
  readonly extent = undefined;
  x!: Scale;

  constructor(readonly data: Bars) {
    super();
    this.keys = data.kinds.map((label, colour) => ({ label, colour, dash: null }));
  }

  draw(host: HTMLElement, { width, hidden }: View): Box {
    const { x, bars } = this.data;
    const labels = bars.map(({ label }) => label);
    const left = roomFor(labels, width);
    const place = box({ width, height: ROW * bars.length + 46, left, headed: false });
    const wholes = bars.map(({ parts }) =>
      parts.reduce((sum, part, i) => (hidden.has(i) ? sum : sum + part), 0),
    );
    this.x = over(x, wholes, place.width, "x");
    const frame = new Frame(place).across(this.x).beside(labels, (row) => ROW * (row + 0.5));
    const rows = bars.map((_, row) => this.#bar(frame.plot, row, hidden));
    frame.fill(host);
    this.marks = new Marks(rows);
    return place;
  }

  table = (): Table => {
    const { x, kinds, bars } = this.data;
    const unit = x.unit ? ` (${x.unit})` : "";
    return {
      heading: ["", ...kinds.map((kind) => kind + unit)],
      rows: bars.map(({ label, parts }) => [label, ...parts]),
    };
  };

  /** Draws a bar, and returns what can be pointed at in it. */
  #bar(plot: SVGElement, row: number, hidden: ReadonlySet<number>): Mark[] {
    const { x, kinds, bars } = this.data;
    const { label, parts } = bars[row];
    const top = ROW * row + (ROW - BAR) / 2;
    const marks: Mark[] = [];
    let start = 0;
    parts.forEach((part, kind) => {
      if (hidden.has(kind) || part === 0) return;
      const left = this.x.at(start);
      start += part;
      const width = this.x.at(start) - left;
      const place = { left, top, width, height: BAR };
      plot.append(
        tint(
          svg("rect", {
            class: "area",
            x: left,
            y: top,
            width: Math.max(0.5, width - 1),
            height: BAR,
          }),
          kind,
        ),
      );
      const word = measured(part, x);
      if (fitting(word, width - 8) === word) {
        plot.append(svg("text", { class: "on-area", x: left + 5, y: top + 13 }, word));
      }
      const read = () => ({
        head: label,
        values: [{ label: kinds[kind], value: measured(part, x), colour: kind }],
      });
      marks.push({ ...place, place: undefined, read });
    });
    return marks;
  }
}
