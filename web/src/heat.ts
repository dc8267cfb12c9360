// Counts in cells. Colours follow the logarithm of the count; empty cells are left blank. Where
// some counts are below nothing, the map is a difference: more IOs and fewer have colours apart.

import type { Box, Chart, Key, Table, View, Window } from "./chart";
import { colourOf, colourOfDifference } from "./colour_map";
import { html, svg } from "./dom";
import type { Heat } from "./figure";
import { isTime, measured, number, place } from "./format";
import { box, Frame } from "./frame";
import { type Mark, Marks, Pointed } from "./marks";
import { Scale } from "./scale";
import { isDark } from "./theme";

const SCALE = { width: 120, height: 8, steps: 24 };

// A plot this wide has room for words beside the heading of its y axis.
const ROOMY = 340;

export class HeatChart extends Pointed implements Chart {
  readonly keys: Key[] = [];
  readonly shares: string;
  readonly extent: Window;
  x!: Scale;
  #y!: Scale;
  readonly #most: number;
  readonly #differs: boolean;

  constructor(readonly data: Heat) {
    super();
    this.shares = isTime(data.x) ? data.x.label : "";
    this.extent = [data.x_edges[0], data.x_edges[data.x_edges.length - 1]];
    this.#most = data.counts.reduce((most, column) => Math.max(most, ...column.map(Math.abs)), 1);
    this.#differs = isDifference(data);
  }

  draw(host: HTMLElement, { width, height, window }: View): Box {
    const { x, y, y_edges } = this.data;
    const place = box({ width, height });
    const [from, to] = window ?? this.extent;
    this.x = new Scale(x, from, to, place.width, "x");
    this.#y = new Scale(y, y_edges[0], y_edges[y_edges.length - 1], place.height, "y");
    const frame = new Frame(place).across(this.x).up(this.#y);
    const cells = this.#cells();
    const dark = isDark(host);
    this.#scale(frame, dark);
    frame.fill(host, this.#canvas(place, cells, dark));
    this.marks = new Marks(byRow(cells, this.data, y_edges.length - 1));
    return place;
  }

  table = (): Table => {
    const { x, y, x_edges, y_edges, counts } = this.data;
    const named = (axis: typeof x, end: string) =>
      `${axis.label} ${end}${axis.unit ? ` (${axis.unit})` : ""}`;
    const rows = counts.flatMap((column, c) =>
      column.map((count, r) => [x_edges[c], x_edges[c + 1], y_edges[r], y_edges[r + 1], count]),
    );
    return {
      heading: [named(x, "from"), named(x, "to"), named(y, "from"), named(y, "to"), "count"],
      rows: rows.filter(([, , , , count]) => count !== 0),
    };
  };

  /** The visible cells that are not empty. */
  #cells(): Cell[] {
    const { x_edges, y_edges, counts } = this.data;
    const cells: Cell[] = [];
    counts.forEach((column, c) => {
      if (x_edges[c + 1] <= this.x.from || x_edges[c] >= this.x.to) return;
      const [left, right] = [this.x.at(x_edges[c]), this.x.at(x_edges[c + 1])];
      column.forEach((count, r) => {
        if (count === 0) return;
        const [bottom, top] = [this.#y.at(y_edges[r]), this.#y.at(y_edges[r + 1])];
        cells.push({ column: c, row: r, left, top, width: right - left, height: bottom - top });
      });
    });
    return cells;
  }

  #colour(count: number, dark: boolean): string {
    const share = this.#most === 1 ? 1 : Math.log(Math.abs(count)) / Math.log(this.#most);
    return this.#differs
      ? colourOfDifference(Math.sign(count) * share, dark)
      : colourOf(share, dark);
  }

  #canvas({ left, top, width, height }: Box, cells: Cell[], dark: boolean): HTMLCanvasElement {
    const pixels = Math.max(2, window.devicePixelRatio);
    const canvas = html("canvas", { width: width * pixels, height: height * pixels });
    canvas.className = "layer";
    const place = { left, top, width, height };
    for (const [side, value] of Object.entries(place)) canvas.style.setProperty(side, `${value}px`);
    const context = canvas.getContext("2d");
    if (!context) return canvas;
    // Edges on whole pixels, so that no seams show between cells.
    const whole = (value: number) => Math.round(value * pixels);
    for (const cell of cells) {
      context.fillStyle = this.#colour(this.data.counts[cell.column][cell.row], dark);
      const [from, to] = [whole(cell.left), whole(cell.left + cell.width)];
      const [up, down] = [whole(cell.top), whole(cell.top + cell.height)];
      context.fillRect(from, up, Math.max(1, to - from), Math.max(1, down - up));
    }
    return canvas;
  }

  /** The meaning of the colours, in the corner above the plot. */
  #scale(frame: Frame, dark: boolean): void {
    const { left, width } = frame.box;
    const [least, most] = this.#differs
      ? [signed(-this.#most), signed(this.#most)]
      : ["1", number(this.#most)];
    const start = left + width - SCALE.width - 10 - 8 * most.length;
    for (let step = 0; step < SCALE.steps; step++) {
      const cell = {
        x: start + (step * SCALE.width) / SCALE.steps,
        y: 4,
        width: SCALE.width / SCALE.steps + 0.5,
        height: SCALE.height,
      };
      const rect = svg("rect", cell);
      const share = step / (SCALE.steps - 1);
      rect.style.fill = this.#differs
        ? colourOfDifference(2 * share - 1, dark)
        : colourOf(share, dark);
      frame.root.append(rect);
    }
    frame.root.append(
      svg(
        "text",
        { x: start - 6, y: 12, "text-anchor": "end", class: "tick" },
        width > ROOMY ? `IOs, log scale: ${least}` : least,
      ),
      svg("text", { x: left + width, y: 12, "text-anchor": "end", class: "tick" }, most),
    );
  }
}

interface Cell {
  column: number;
  row: number;
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Whether a map says in what two others differ. */
function isDifference({ counts }: Heat): boolean {
  return counts.some((column) => column.some((count) => count < 0));
}

/** How many more, or fewer: +1,234, −1,234. */
function signed(count: number): string {
  return `${count < 0 ? "−" : "+"}${number(Math.abs(count))}`;
}

/** What can be pointed at, by row from the top. */
function byRow(cells: Cell[], data: Heat, rows: number): Mark[][] {
  const { x, y, x_edges, y_edges, counts } = data;
  const written = isDifference(data) ? signed : number;
  const marks: Mark[][] = Array.from({ length: rows }, () => []);
  for (const { column, row, ...rectangle } of cells) {
    const read = () => ({
      head: `${place(x_edges[column], x)} to ${place(x_edges[column + 1], x)}`,
      values: [
        {
          label: `${measured(y_edges[row], y)} to ${measured(y_edges[row + 1], y)}`,
          value: written(counts[column][row]),
        },
      ],
    });
    const middle = (x_edges[column] + x_edges[column + 1]) / 2;
    marks[rows - 1 - row].push({ ...rectangle, place: middle, read });
  }
  return marks;
}
