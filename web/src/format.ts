// Numbers as people read them.

import type { Axis } from "./figure";

const MILLION = 1_000_000;
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const three = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** Three digits, or all before the decimal point: 0.0123, 1.23, 12,345. */
export function number(value: number): string {
  return Math.abs(value) < 1000 ? three.format(value) : whole.format(value);
}

/** A value with the unit of its axis. */
export function measured(value: number, axis: Axis): string {
  if (axis.scale === "nines") return share(value);
  return axis.unit ? `${number(value)}\u00a0${axis.unit}` : number(value);
}

/** A place on an x axis: seconds as a clock shows them. */
export function place(value: number, axis: Axis): string {
  return isTime(axis) ? clock(value) : measured(value, axis);
}

/** Whether an x axis is the one that charts call time, which is read as a clock. */
export function isTime(axis: Axis): boolean {
  return axis.label === "time" && axis.unit === "s";
}

/** What stands beside an axis. */
export function heading(axis: Axis, time: boolean): string {
  if (time) return `${axis.label} (min:s)`;
  const known = axis.scale === "nines" || ["", axis.label].includes(axis.unit);
  return known ? axis.label : `${axis.label} (${axis.unit})`;
}

/** A share of 0 to 1 with all the nines that it has. */
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

/** Labels of ticks that lie `step` apart, all with as many decimals. */
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
