// What a chart shows, as `blockyard.pages.figure` has it and `blockyard.pages.figure_json`
// writes it.

export type ScaleKind = "linear" | "log" | "nines";
export type Dash = "solid" | "dashed" | "dotted";

export interface Axis {
  label: string;
  unit: string;
  scale: ScaleKind;
  most: number | null;
}

export interface Series {
  label: string;
  values: (number | null)[];
  colour: number | null;
  dash: Dash;
  stepped: boolean;
}

export interface Level {
  label: string;
  value: number;
}

export interface Span {
  label: string;
  start: number;
  end: number;
}

export interface Lines {
  kind: "Lines";
  x: Axis;
  y: Axis;
  at: number[];
  series: Series[];
  levels: Level[];
  spans: Span[];
}

export interface Curve {
  label: string;
  points: [x: number, y: number, what: string][];
  colour: number | null;
  dash: Dash;
  marked: [number: number, what: string] | null;
  joined: boolean;
  named: boolean;
}

export interface Curves {
  kind: "Curves";
  x: Axis;
  y: Axis;
  curves: Curve[];
  levels: Level[];
}

export interface Heat {
  kind: "Heat";
  x: Axis;
  y: Axis;
  x_edges: number[];
  y_edges: number[];
  counts: number[][];
}

export interface Cells {
  kind: "Cells";
  x: Axis;
  y: Axis;
  value: Axis;
  columns: string[];
  /** From top to bottom. */
  rows: string[];
  /** By column and row. */
  values: (number | null)[][];
}

export interface Bars {
  kind: "Bars";
  x: Axis;
  kinds: string[];
  bars: { label: string; parts: number[] }[];
}

export interface Lanes {
  kind: "Lanes";
  x: Axis;
  kinds: string[];
  lanes: { label: string; pieces: [start: number, end: number, kind: number][] }[];
  levels: Level[];
}

export interface Figure {
  name: string;
  title: string;
  caption: string;
  plot: Lines | Curves | Heat | Cells | Bars | Lanes;
  /** Figures of one group stand side by side. */
  group?: string;
}

/** Figures as they are written: lines with the same x values share one list of them. */
export interface Written {
  places: number[][];
  figures: (Omit<Figure, "plot"> & {
    plot: (Omit<Lines, "at"> & { at: number }) | Exclude<Figure["plot"], Lines>;
  })[];
}

/** The figures of this page. */
export function read(text: string): Figure[] {
  return figuresOf(JSON.parse(text));
}

export function figuresOf({ places, figures }: Written): Figure[] {
  return figures.map((figure) => {
    const { plot } = figure;
    return plot.kind === "Lines"
      ? { ...figure, plot: { ...plot, at: places[plot.at] } }
      : { ...figure, plot };
  });
}
