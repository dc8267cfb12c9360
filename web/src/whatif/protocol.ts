// What the engine in the page is asked, and what it answers.

import type { Written } from "../figure";

/** A scenario with changes, each `path=value` as `--set` takes it. */
export interface Edited {
  text: string;
  sets: readonly string[];
}

interface Changeable {
  path: string;
  label: string;
  /** What it belongs to: a device, a job, a host. */
  group: string;
  /** Where its range comes from, in a line. */
  why: string;
}

export interface Range extends Changeable {
  kind: "range";
  value: number;
  min: number;
  max: number;
  step: number;
  scale: "linear" | "log";
  /** What follows the number in a change: `GiB`. */
  suffix: string;
  /** What follows it for people. */
  unit: string;
}

export interface Choice extends Changeable {
  kind: "choice";
  /** Which of the choices there is now. */
  value: number | null;
  choices: {
    label: string;
    /** The changes that choose it. */
    sets: string[];
    /** Why it cannot be chosen here. */
    refused: string | null;
  }[];
}

export type Control = Range | Choice;

export interface Look {
  name: string;
  controls: Control[];
  /** The scenario with its changes. */
  yaml: string;
  duration_s?: number;
}

/** A run: the engine's own text, which is only handed back. */
export interface Simulated {
  run: string;
  ios: number;
}

export interface Tile {
  label: string;
  value: string;
  note: string;
}

export interface Table {
  caption: string;
  columns: string[];
  rows: string[][];
  /** How many of the first columns are words. */
  words: number;
  /** Whether the last column is a verdict. */
  verdict: boolean;
}

export interface Passage {
  heading: string;
  content: (string | Table)[];
}

export interface Report {
  headline: string;
  tiles: Tile[];
  /** Those of the run before; empty of one run. */
  before: Tile[];
  passages: Passage[];
  /** What the change brings, in sentences; none for one run. */
  conclusion: string[];
  figures: Written;
}

export interface Copies {
  command: string;
  scenario: string;
  terraform: string | null;
  /** Why there is no Terraform. */
  refused: string | null;
}

export interface Layout {
  label: string;
  usd_per_month: number;
  p99_ms: number | null;
  on_frontier: boolean;
  scenario: string;
}

export interface Plan {
  buy: string;
  tiles: Tile[];
  layouts: Layout[];
  figures: Written;
}

/** What was wrong, and where. */
export interface Refusal {
  message: string;
  path: string | null;
  line: number | null;
  column?: number | null;
}

export class RefusedError extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.path ? `${refusal.path}: ${refusal.message}` : refusal.message);
  }
}

/** A question, and the question's name in the messages to the worker. */
export type Ask =
  | ({ ask: "look" } & Edited)
  | ({ ask: "run"; until_s: number | null; advice: boolean; seeds: number | null } & Edited)
  | { ask: "page"; runs: string[] }
  | ({ ask: "copy" } & Edited)
  | { ask: "plan"; text: string };

export interface Answers {
  look: Look;
  run: Simulated;
  page: Report;
  copy: Copies;
  plan: Plan;
}
