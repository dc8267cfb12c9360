// What is being asked: which scenario, with which changes. A value, never changed in place.

import type { Edited } from "./protocol";

export interface State {
  /** The name of one of the page's scenarios; empty for its first. */
  readonly of: string;
  /** A requirement to plan for, as YAML. */
  readonly plan: string | null;
  /** A scenario to start from that is none of the page's, such as a planned layout. */
  readonly base: string | null;
  /** The scenario as it was typed over. */
  readonly text: string | null;
  /** Changes on top, in the order in which they apply. */
  readonly sets: readonly string[];
}

export const START: State = { of: "", plan: null, base: null, text: null, sets: [] };

export function isSame(one: State, other: State): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether the scenario is as it was. */
export function isUnchanged({ text, sets }: State): boolean {
  return text === null && sets.length === 0;
}

/** What is to be planned for; null once a layout is open. */
export function requirementOf({ plan, base }: State): string | null {
  return base === null ? plan : null;
}

/** Without its changes. */
export function unchanged(state: State): State {
  return { ...state, text: null, sets: [] };
}

/** What a state has of one path, if it changes that. */
export function valueAt({ sets }: State, path: string): string | undefined {
  return sets.find((set) => pathOf(set) === path)?.slice(path.length + 1);
}

export function pathOf(set: string): string {
  return set.slice(0, set.indexOf("="));
}

/** With these changes, in place of earlier ones of the same paths. */
export function withSets(state: State, sets: readonly string[]): State {
  const paths = sets.map(pathOf);
  const others = state.sets.filter((set) => !paths.includes(pathOf(set)));
  return { ...state, sets: [...others, ...sets] };
}

/** With the scenario typed over; `base` is its text without changes. */
export function withText(state: State, text: string, base: string): State {
  return { ...state, text: text === base ? null : text, sets: [] };
}

/** The scenario to ask for, where `base` is its text without changes. */
export function edited({ text, sets }: State, base: string): Edited {
  return { text: text ?? base, sets };
}
