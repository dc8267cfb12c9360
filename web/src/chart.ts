// What every kind of chart offers to its panel.

import type { Scale } from "./scale";

/** A part of the x axis, from and to. */
export type Window = [from: number, to: number];

/** Where the plot lies in the chart's element, in pixels. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** How a chart is shown. */
export interface View {
  width: number;
  /** For a chart that can have any height. */
  height: number;
  /** The part of the x axis that is shown; undefined for all. */
  window: Window | undefined;
  /** Whether to draw for paper, which is finer than a screen. */
  paper: boolean;
  /** Numbers of the entries of the legend that are switched off. */
  hidden: ReadonlySet<number>;
}

/** An entry of the legend. */
export interface Key {
  label: string;
  colour: number | null;
  /** A stroke-dasharray for a line, null for an area. */
  dash: string | null;
  /** The outline of a marker, for points that no line joins. */
  marker?: string;
}

/** What can be read at a place in the chart. */
export interface Reading {
  /** In pixels of the box. */
  x: number;
  y: number;
  /** Where this is on the x axis, if there is one. */
  place: number | undefined;
  head: string;
  values: { label: string; value: string; colour?: number | null }[];
  /** The values on both axes, where this is one point. */
  point?: Point;
}

export type Point = readonly [x: number, y: number];

/** A chart's data as a table: a heading and rows. */
export interface Table {
  heading: string[];
  rows: (string | number | null)[][];
}

/** A chart. `near` and `step` go by what was last drawn. */
export interface Chart {
  readonly keys: Key[];
  readonly table: () => Table;
  /** The whole x axis; undefined if the chart cannot show parts of it. */
  readonly extent: Window | undefined;
  /** Charts with the same name show the same part of the x axis; empty for one on its own. */
  readonly shares: string;
  /** Draws into `host`, and returns where the plot is. */
  draw(host: HTMLElement, view: View): Box;
  /** Lets go of what it holds, as another chart takes its place. */
  drop?(): void;
  /** The scale of the x axis. */
  readonly x: Scale;
  /** The nearest to a pixel of the box. */
  near(x: number, y: number): Reading | undefined;
  /** The reading so many steps from `from`, or the first one. */
  step(from: Reading | undefined, right: number, up: number): Reading | undefined;
}
