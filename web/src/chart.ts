// What every kind of chart is to the panel that it stands in.

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

/** How a chart is looked at. */
export interface View {
  width: number;
  /** Of a chart that can be as high as it likes. */
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
  /** A stroke-dasharray for what is a line, null for what is an area. */
  dash: string | null;
}

/** What is to be read at a place of the chart. */
export interface Reading {
  /** In pixels of the box. */
  x: number;
  y: number;
  /** Where this is on the x axis, if that is an axis at all. */
  place: number | undefined;
  head: string;
  values: { label: string; value: string; colour?: number | null }[];
}

/** A chart's data as a table: a heading and rows. */
export interface Table {
  heading: string[];
  rows: (string | number | null)[][];
}

/** A chart. `near` and `step` go by what was last drawn. */
export interface Chart {
  readonly keys: Key[];
  readonly table: () => Table;
  /** All of the x axis; undefined where parts of it cannot be looked at. */
  readonly extent: Window | undefined;
  /** Charts of one such name show the same part of the x axis; empty for one by itself. */
  readonly shares: string;
  /** Draws into `host`, and says where the plot is. */
  draw(host: HTMLElement, view: View): Box;
  /** The scale of the x axis. */
  readonly x: Scale;
  /** The nearest to a pixel of the box. */
  near(x: number, y: number): Reading | undefined;
  /** So many steps on from `from`, or the first of all. */
  step(from: Reading | undefined, right: number, up: number): Reading | undefined;
}
