// What can be pointed at in a chart: rows of marks, each a rectangle or a point.

import type { Reading } from "./chart";

export interface Mark {
  /** In pixels of the box; a point has no width. */
  left: number;
  top: number;
  width: number;
  height: number;
  place: number | undefined;
  read: () => Pick<Reading, "head" | "values" | "point">;
}

type Found = Reading & { row: number; number: number };

export class Marks {
  /** `rows` are from top to bottom, the marks of each from left to right. */
  constructor(readonly rows: readonly (readonly Mark[])[]) {}

  near(x: number, y: number): Reading | undefined {
    let [found, least] = [undefined as [number, number] | undefined, Number.POSITIVE_INFINITY];
    this.rows.forEach((marks, row) => {
      marks.forEach((mark, number) => {
        const far = distance(mark, x, y);
        if (far < least) [found, least] = [[row, number], far];
      });
    });
    return found && this.#reading(...found);
  }

  step(from: Reading | undefined, right: number, up: number): Reading | undefined {
    if (!from) return this.#first();
    const { row, number } = from as Found;
    if (up === 0) return this.#reading(row, clamp(number + right, this.rows[row]?.length ?? 0));
    const way = up > 0 ? -1 : 1;
    for (let other = row + way; other in this.rows; other += way) {
      const nearest = this.#nearestIn(other, from.x);
      if (nearest) return nearest;
    }
    return from;
  }

  #first(): Reading | undefined {
    const row = this.rows.findIndex((marks) => marks.length > 0);
    return row < 0 ? undefined : this.#reading(row, 0);
  }

  #nearestIn(row: number, x: number): Reading | undefined {
    const marks = this.rows[row];
    const far = marks.map((mark) => distance(mark, x, mark.top));
    const nearest = far.indexOf(Math.min(...far));
    return nearest < 0 ? undefined : this.#reading(row, nearest);
  }

  #reading(row: number, number: number): Found | undefined {
    const mark = this.rows[row]?.[number];
    if (!mark) return undefined;
    const { left, top, width, height, place } = mark;
    return { x: left + width / 2, y: top + height / 2, place, row, number, ...mark.read() };
  }
}

function distance({ left, top, width, height }: Mark, x: number, y: number): number {
  const dx = Math.max(left - x, 0, x - left - width);
  const dy = Math.max(top - y, 0, y - top - height);
  return dx * dx + dy * dy;
}

function clamp(number: number, length: number): number {
  return Math.max(0, Math.min(length - 1, number));
}

/** A chart that is read mark by mark, from the marks that it drew last. */
export abstract class Pointed {
  protected marks = new Marks([]);

  near(x: number, y: number) {
    return this.marks.near(x, y);
  }

  step(...step: Parameters<Marks["step"]>) {
    return this.marks.step(...step);
  }
}
