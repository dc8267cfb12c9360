// Maps values to pixels along one axis, and labels it.

import type { Axis, ScaleKind } from "./figure";
import { clock, hours, isDuration, isTime, quantity, share, tickLabels } from "./format";

interface Mapping {
  to(value: number): number;
  from(length: number): number;
}

const MAPPINGS: Record<ScaleKind, Mapping> = {
  linear: { to: (value) => value, from: (length) => length },
  log: { to: Math.log10, from: (length) => 10 ** length },
  nines: { to: (q) => -Math.log10(1 - q), from: (length) => 1 - 10 ** -length },
};

const CLOCK_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200,
];

// From here on, an axis that is not called time is shown like a clock, too.
const LONG = 120;

// In seconds, for logarithmic axes, where decades are no longer round times.
const ROUND = [60, 600, 3600, 36_000, 86_400, 864_000, 8_640_000];

const HEADROOM = 1.02;

// The pixels that a tick needs.
const ROOM = { x: 76, y: 36 };

export interface Tick {
  value: number;
  label: string;
}

export class Scale {
  /** The ends as the scale measures them. */
  readonly measure: [start: number, end: number];
  readonly #mapping: Mapping;

  /** `from` is the start of the axis: at the left, or at the bottom. */
  constructor(
    readonly axis: Axis,
    readonly from: number,
    readonly to: number,
    readonly pixels: number,
    readonly way: "x" | "y",
  ) {
    this.#mapping = MAPPINGS[axis.scale];
    const start = this.#mapping.to(from);
    const end = this.#mapping.to(to);
    this.measure = [start, end === start ? start + 1 : end];
  }

  /** Values as the scale measures them; null where it has no such place. */
  measured(values: (number | null)[]): (number | null)[] {
    if (this.axis.scale === "linear") return values;
    return values.map((value) => {
      const measure = value === null ? Number.NaN : this.#mapping.to(value);
      return Number.isFinite(measure) ? measure : null;
    });
  }

  /** How far along the axis, 0 to 1 within it; not finite where the scale has no such place. */
  #part(value: number): number {
    const [start, end] = this.measure;
    return (this.#mapping.to(value) - start) / (end - start);
  }

  /** The pixel of a value, from the left or from the top. */
  at(value: number): number {
    const part = this.#part(value);
    return this.pixels * (this.way === "x" ? part : 1 - part);
  }

  /** The value of a pixel. */
  value(pixel: number): number {
    const part = this.way === "x" ? pixel / this.pixels : 1 - pixel / this.pixels;
    const [start, end] = this.measure;
    return this.#mapping.from(start + part * (end - start));
  }

  has(value: number): boolean {
    return value >= this.from && value <= this.to;
  }

  /** How times are written along this axis: `min:s`, `h:min`; empty if it is not a clock. */
  get clock(): string {
    const { axis, to } = this;
    if (axis.scale !== "linear" || axis.unit !== "s") return "";
    if (!(isTime(axis) && this.way === "x") && to <= LONG) return "";
    if (to < 3600) return "min:s";
    return this.#step % 60 === 0 ? "h:min" : "h:min:s";
  }

  /** The unit of figures along this axis; empty if each has its own. */
  get unit(): string {
    const { unit } = this.axis;
    return this.clock || (this.#eachHasUnit ? "" : unit);
  }

  get #eachHasUnit(): boolean {
    const { scale, unit } = this.axis;
    return isDuration(unit) && (scale === "log" || (unit === "ms" && this.to >= 1000));
  }

  get #most(): number {
    return Math.max(2, Math.floor(this.pixels / ROOM[this.way]));
  }

  get #step(): number {
    const { axis, from, to } = this;
    const clocked = axis.unit === "s" && (isTime(axis) || to > LONG);
    return niceStep((to - from) / this.#most, clocked);
  }

  ticks(): Tick[] {
    const most = this.#most;
    if (this.axis.scale === "log") return this.#decades(most);
    if (this.axis.scale === "nines") return this.#nines(most);
    const step = this.#step;
    const values = multiples(this.from, this.to, step);
    const labels = this.#labels(values, step);
    return values.map((value, i) => ({ value, label: labels[i] }));
  }

  #labels(values: number[], step: number): string[] {
    const { unit } = this.axis;
    if (this.clock) return values.map(this.clock === "h:min" ? hours : clock);
    return this.#eachHasUnit
      ? values.map((value) => quantity(value, unit))
      : tickLabels(values, step);
  }

  #decades(most: number): Tick[] {
    const [first, last] = [Math.floor(Math.log10(this.from)), Math.ceil(Math.log10(this.to))];
    const within = last - first;
    const unit = isDuration(this.axis.unit) ? this.axis.unit : "";
    // 1 and 2 are closest together: three tenths of a decade.
    const closest = (0.3 * this.pixels) / (this.measure[1] - this.measure[0]);
    const digits = closest > ROOM[this.way] / 2 ? [1, 2, 5] : [1];
    const every = Math.max(1, Math.ceil(within / most));
    const ticks: Tick[] = [];
    for (let decade = first; decade <= last; decade += every) {
      for (const digit of digits) {
        const value = Number(`${digit}e${decade}`);
        if (this.has(value)) ticks.push({ value, label: quantity(value, unit) });
      }
    }
    const seconds = { ms: 1e-3, s: 1 }[unit];
    if (!seconds || this.to * seconds <= LONG) return ticks;
    const long = ROUND.map((at) => at / seconds).filter((value) => this.has(value));
    return [
      ...ticks.filter(({ value }) => value * seconds < ROUND[0]),
      ...long.map((value) => ({ value, label: quantity(value, unit) })),
    ];
  }

  #nines(most: number): Tick[] {
    const last = Math.floor(this.measure[1] + 1e-9);
    const every = Math.max(1, Math.ceil(last / most));
    const ticks: Tick[] = [{ value: 0, label: share(0) }];
    if (this.pixels / (this.measure[1] - this.measure[0]) > 3.5 * ROOM.x)
      ticks.push({ value: 0.5, label: share(0.5) });
    for (let nines = every; nines <= last; nines += every) {
      const value = Number((1 - 10 ** -nines).toFixed(nines));
      ticks.push({ value, label: share(value) });
    }
    return ticks.filter((tick) => this.has(tick.value));
  }
}

/** A scale over all of `values`: linear ones begin at 0, and ends are round. */
export function over(axis: Axis, values: Iterable<number>, pixels: number, way: "x" | "y"): Scale {
  const { to } = MAPPINGS[axis.scale];
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (!Number.isFinite(to(value))) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (least > most) [least, most] = axis.scale === "log" ? [1, 10] : [0, 0.9];
  if (axis.scale === "nines") return new Scale(axis, 0, axis.most ?? most, pixels, way);
  if (axis.scale === "log")
    return new Scale(axis, roundDown(least), axis.most ?? roundUp(most), pixels, way);
  const long = axis.unit === "s" && most > LONG;
  const step = niceStep(
    (most - Math.min(0, least)) / Math.max(2, Math.floor(pixels / ROOM[way])),
    long,
  );
  // Slightly more at the top, so that a line along the end is not cut off.
  const room = way === "y" ? HEADROOM * most : most;
  const end = axis.most ?? (Math.ceil(room / step - 1e-9) * step || 1);
  return new Scale(axis, Math.min(0, Math.floor(least / step) * step), end, pixels, way);
}

/** The smallest of 1, 2 and 5 times a power of ten, or of a clock's steps, that is enough. */
function niceStep(enough: number, clocked: boolean): number {
  const days = 86_400;
  if (clocked && enough > 0.5) {
    return CLOCK_STEPS.find((step) => step >= enough) ?? Math.ceil(enough / days) * days;
  }
  const decade = 10 ** Math.floor(Math.log10(enough || 1));
  const digit = [1, 2, 5, 10].find((digit) => digit * decade >= enough * (1 - 1e-9)) ?? 10;
  return digit * decade;
}

function multiples(from: number, to: number, step: number): number[] {
  const values: number[] = [];
  for (let n = Math.ceil(from / step - 1e-9); n * step <= to + step * 1e-9; n++) {
    values.push(Number((n * step).toPrecision(12)));
  }
  return values;
}

function roundDown(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value) + 1e-9);
  return decade * ([5, 2, 1].find((digit) => digit * decade <= value * (1 + 1e-9)) ?? 1);
}

function roundUp(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value) + 1e-9);
  return decade * ([1, 2, 5, 10].find((digit) => digit * decade >= value * (1 - 1e-9)) ?? 10);
}
