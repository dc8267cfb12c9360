// Numbers as places on a slider.

import type { Range } from "./protocol";

/** A slider's places, from 0 on. */
export const PLACES = 1000;

export function placeOf(number: number, { min, max, scale }: Range): number {
  const share =
    scale === "log" && min > 0
      ? Math.log(Math.max(number, min) / min) / Math.log(max / min)
      : (number - min) / (max - min);
  return Math.round(PLACES * Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0)));
}

/** A number for a place: of few digits, a multiple of the step, and within the range. */
export function numberAt(place: number, { min, max, step, scale }: Range): number {
  if (place <= 0) return min;
  if (place >= PLACES) return max;
  const share = place / PLACES;
  const exact = scale === "log" && min > 0 ? min * (max / min) ** share : min + share * (max - min);
  const fine = scale === "log" ? digits(exact) / 20 : digits(max - min) / 200;
  const grain = step > 0 ? Math.max(step, step * Math.round(fine / step)) : fine;
  const rounded = Number((grain * Math.round(exact / grain)).toPrecision(9));
  return Math.min(max, Math.max(min, rounded));
}

/** The power of ten of a number. */
function digits(number: number): number {
  return 10 ** Math.floor(Math.log10(Math.max(number, Number.MIN_VALUE)));
}
