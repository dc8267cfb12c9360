// A value for every pair of two lists of words, as a table whose cells have colours.

import type { Box, Chart, Key, Table, View } from "./chart";
import { colourOf } from "./colour_map";
import { svg } from "./dom";
import type { Cells } from "./figure";
import { heading, measured } from "./format";
import { box, Frame, fitting, roomFor } from "./frame";
import { type Mark, Marks, Pointed } from "./marks";
import { Scale } from "./scale";
import { isDark } from "./theme";

const ROW = 26;

export class CellsChart extends Pointed implements Chart {
  readonly keys: Key[] = [];
  readonly shares = "";
  readonly extent = undefined;
  x!: Scale;
  readonly #least: number;
  readonly #most: number;

  constructor(readonly data: Cells) {
    super();
    const known = data.values.flat().filter((value) => value !== null);
    this.#least = Math.min(...known);
    this.#most = Math.max(...known);
  }

  draw(host: HTMLElement, { width }: View): Box {
    const { x, columns, rows } = this.data;
    const left = roomFor(rows, width);
    const place = box({ width, height: ROW * rows.length + 46, left, headed: false });
    this.x = new Scale({ ...x, scale: "linear" }, 0, columns.length, place.width, "x");
    const frame = new Frame(place).beside(rows, (row) => ROW * (row + 0.5));
    this.#words(frame);
    const dark = isDark(host);
    this.marks = new Marks(rows.map((_, row) => this.#row(frame.plot, row, dark)));
    frame.fill(host);
    return place;
  }

  table = (): Table => {
    const { x, y, value, columns, rows, values } = this.data;
    const heads = [x, y, value].map((axis) => heading(axis, axis.unit));
    return {
      heading: heads,
      rows: columns.flatMap((column, c) => rows.map((row, r) => [column, row, values[c][r]])),
    };
  };

  /** The words of the columns, below the plot, and what rows and columns are. */
  #words(frame: Frame): void {
    const { x, y, columns } = this.data;
    const { left, top, width, height } = frame.box;
    const room = width / columns.length;
    columns.forEach((column, number) => {
      const at = left + room * (number + 0.5);
      const words = fitting(column, room - 2);
      const place = { x: at, y: top + height + 16, "text-anchor": "middle", class: "tick" };
      frame.root.append(svg("text", place, words));
    });
    const below = top + height + 34;
    const across = { x: left + width, y: below, "text-anchor": "end", class: "title" };
    frame.root.append(
      svg("text", { x: 0, y: below, class: "title" }, `↑ ${heading(y, y.unit)}`),
      svg("text", across, `${heading(x, x.unit)} →`),
    );
  }

  /** Draws a row of cells, and returns what can be pointed at in it. */
  #row(plot: SVGElement, row: number, dark: boolean): Mark[] {
    const { x, y, value, columns, rows, values } = this.data;
    const width = this.x.at(1) - this.x.at(0);
    return columns.flatMap((column, number) => {
      const found = values[number][row];
      if (found === null) return [];
      const place = { left: this.x.at(number), top: ROW * row, width: width - 1, height: ROW - 1 };
      const share = this.#share(found);
      const cell = svg("rect", { x: place.left, y: place.top, width: width - 1, height: ROW - 1 });
      cell.style.fill = colourOf(share, dark);
      plot.append(cell);
      const word = measured(found, value);
      if (fitting(word, width - 6) === word) {
        const at = { x: place.left + width / 2, y: place.top + 17, "text-anchor": "middle" };
        const text = svg("text", at, word);
        // The half of the colours that is pale has dark words.
        text.style.fill = (dark ? 1 - share : share) < 0.5 ? "#10212b" : "#ffffff";
        plot.append(text);
      }
      const read = () => ({
        head: `${x.label} ${column}, ${y.label} ${rows[row]}`,
        values: [{ label: value.label, value: word }],
      });
      return [{ ...place, place: undefined, read }];
    });
  }

  /** Where a value lies between the least and the most, from 0 to 1. */
  #share(found: number): number {
    if (this.#most === this.#least) return 0.5;
    const scaled = this.data.value.scale === "log" ? Math.log : (own: number) => own;
    const [least, most] = [scaled(this.#least), scaled(this.#most)];
    return (scaled(found) - least) / (most - least);
  }
}
