// How far an answer is, in words.

import { clock } from "../format";
import type { Progress } from "./inquiry";

export function simulating(whole: number | undefined): string {
  return `Simulating${length(whole)}…`;
}

export function simulated({ first, whole, goesOn }: Progress): string {
  if (first === undefined) return `All${length(whole)} simulated.`;
  const said = `First ${first} s of${length(whole) || " the run"}.`;
  return goesOn ? `${said} Simulating the rest…` : said;
}

/** How long a run is, after a space; nothing where that is not known. */
function length(seconds: number | undefined): string {
  if (seconds === undefined) return "";
  return seconds < 120 ? ` ${seconds} s` : ` ${clock(seconds)} min`;
}
