// Numbers formatted for people.

import type { Axis } from "./figure";

const MILLION = 1_000_000;
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const three = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

// The lengths of the units of time that axes have.
const SECONDS: Record<string, number> = { ms: 1e-3, s: 1 };

// The unit of a time, and from how many seconds on it is used. As in `blockyard.text.formatting`.
const UNITS: [from: number, length: number, name: string][] = [
  [1, 1, "s"],
  [1e-4, 1e-3, "ms"],
  [1e-6, 1e-6, "µs"],
  [0, 1e-9, "ns"],
];

// From when on times are written in two units, and up to when in which two.
const LONG = 119.5;
const PAIRS: [until: number, large: [number, string], small: [number, string]][] = [
  [3599.5, [60, "min"], [1, "s"]],
  [172_770, [3600, "h"], [60, "min"]],
  [Number.POSITIVE_INFINITY, [86_400, "d"], [3600, "h"]],
];

// What is counted in millions: what rounds to one.
const IN_MILLIONS = 999_500;

/** Three digits, or all before the decimal point: 0.0123, 12,345, 1.23 million. */
export function number(value: number): string {
  if (Math.abs(value) >= IN_MILLIONS) return `${plain(value / MILLION)} million`;
  return plain(value);
}

function plain(value: number): string {
  return Math.abs(value) < 1000 ? three.format(value) : whole.format(value);
}

/** A value with the unit of its axis. */
export function measured(value: number, axis: Axis): string {
  return axis.scale === "nines" ? share(value) : quantity(value, axis.unit);
}

/** A value with its unit; times get whichever unit fits: 3,000 IOPS, 1 ms, 5 min 10 s. */
export function quantity(value: number, unit: string): string {
  if (!unit) return number(value);
  const seconds = value * (SECONDS[unit] ?? Number.NaN);
  if (!Number.isFinite(seconds) || seconds === 0) return `${number(value)}\u00a0${unit}`;
  if (seconds >= LONG) return long(seconds);
  // A value that rounds up to a unit is written in that unit: 999.9 ms is 1 s.
  const rounded = Math.abs(Number(seconds.toPrecision(3)));
  const [, length, name] = UNITS.find(([from]) => rounded >= from) ?? UNITS[UNITS.length - 1];
  const figure = name === "ns" ? whole.format(seconds / length) : number(seconds / length);
  return `${figure}\u00a0${name}`;
}

/** A long time in two units: 5 min 10 s, 5 h 36 min, 2 d 3 h. */
function long(seconds: number): string {
  const pair = PAIRS.find(([until]) => seconds < until) ?? PAIRS[PAIRS.length - 1];
  const [, [large, one], [small, other]] = pair;
  const [count, each] = [Math.round(seconds / small), large / small];
  const [full, rest] = [Math.floor(count / each), count % each];
  const first = `${whole.format(full)}\u00a0${one}`;
  return rest ? `${first}\u00a0${rest}\u00a0${other}` : first;
}

/** Whether values in this unit are times, which change their unit. */
export function isDuration(unit: string): boolean {
  return unit in SECONDS;
}

/** A place on an x axis; seconds are shown like a clock. */
export function place(value: number, axis: Axis): string {
  return isTime(axis) ? clock(value) : measured(value, axis);
}

/** Whether an x axis is the one that charts call time, which is shown like a clock. */
export function isTime(axis: Axis): boolean {
  return axis.label === "time" && axis.unit === "s";
}

/** The heading of an axis. */
export function heading({ label, scale }: Axis, unit: string): string {
  return scale === "nines" || ["", label].includes(unit) ? label : `${label} (${unit})`;
}

/** A share from 0 to 1, with all its nines. */
export function share(q: number): string {
  return `${Number((100 * q).toPrecision(8))}%`;
}

/** Seconds as min:s or h:min:s, with a fraction where there is one. */
export function clock(seconds: number): string {
  const tenths = Math.round(Math.abs(seconds) * 10);
  const [s, min, h] = [
    (tenths % 600) / 10,
    Math.floor(tenths / 600) % 60,
    Math.floor(tenths / 36_000),
  ];
  const two = (value: number) => (value < 10 ? `0${value}` : `${value}`);
  const sign = seconds < 0 ? "−" : "";
  return h > 0 ? `${sign}${h}:${two(min)}:${two(s)}` : `${sign}${min}:${two(s)}`;
}

/** Seconds as h:min. */
export function hours(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
}

/** Labels of ticks that lie `step` apart, all with the same number of decimals. */
export function tickLabels(ticks: number[], step: number): string[] {
  if (ticks.some((tick) => Math.abs(tick) >= MILLION))
    return ticks.map((tick) => compact.format(tick));
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const format = new Intl.NumberFormat("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return ticks.map((tick) => format.format(tick));
}
