// Names beside points, placed so that none lies on another, on a marker or on a line.

import { svg } from "./dom";

/** A point, in pixels of the plot, and what stands beside it. */
export interface Named {
  x: number;
  y: number;
  what: string;
  /** One that is marked is named in any case, and keeps clear of its ring. */
  marked: boolean;
}

interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

// The usual width of a letter, of a bold one, and the height of a line.
const LETTER = 6.4;
const BOLD = 7.4;
const LINE = 13;

// Where a name may stand beside its point, the best place first: right or left, above or below.
const PLACES = [
  [1, -1],
  [-1, -1],
  [1, 1],
  [-1, 1],
] as const;

/** The names in their order; one that finds no room is left out. They cover nothing `drawn`. */
export function names(
  named: readonly Named[],
  drawn: readonly { x: number; y: number }[],
  { width, height }: { width: number; height: number },
): SVGElement[] {
  const taken: Area[] = drawn.map(({ x, y }) => around(x, y, 3));
  const inside = ({ left, right, top, bottom }: Area) =>
    left >= 0 && right <= width && top >= 0 && bottom <= height;
  return named.flatMap((one) => {
    const free = (area: Area) => inside(area) && !taken.some((other) => overlap(area, other));
    const places = PLACES.map((place): Place => [place, beside(one, place)]);
    const found =
      places.find(([, area]) => free(area)) ??
      (one.marked
        ? (places.find(([, area]) => inside(area)) ?? moved(places[0], width))
        : undefined);
    if (!found) return [];
    const [[right], area] = found;
    taken.push(area);
    return text(one, area, right);
  });
}

type Place = readonly [way: readonly [right: number, down: number], area: Area];

/** As far to the left as it takes to lie within the width. */
function moved([way, { left, right, ...rest }]: Place, width: number): Place {
  const by = Math.max(0, Math.min(left, right - width));
  return [way, { left: left - by, right: right - by, ...rest }];
}

function around(x: number, y: number, far: number): Area {
  return { left: x - far, right: x + far, top: y - far, bottom: y + far };
}

function beside({ x, y, what, marked }: Named, [right, down]: readonly [number, number]): Area {
  const width = (marked ? BOLD : LETTER) * what.length;
  const [far, away] = marked ? [11, 4] : [7, 3];
  const left = right > 0 ? x + far : x - far - width;
  const top = down > 0 ? y + away : y - away - LINE;
  return { left, right: left + width, top, bottom: top + LINE };
}

function overlap(one: Area, other: Area): boolean {
  const apart =
    one.right <= other.left ||
    other.right <= one.left ||
    one.bottom <= other.top ||
    other.bottom <= one.top;
  return !apart;
}

function text({ what, marked }: Named, area: Area, right: number): SVGElement {
  const name = marked ? "marked-label" : "point-label";
  const [x, anchor] = right > 0 ? [area.left, "start"] : [area.right, "end"];
  return svg("text", { class: name, x, y: area.bottom - 3, "text-anchor": anchor }, what);
}
