// Colours and dashes. The colours themselves are in the page's style sheet, for light and dark.

import type { Dash } from "./figure";

const COLOURS = 8;

const DASHES: Record<Dash, string> = { solid: "", dashed: "7 4", dotted: "1.5 3" };

/** The style's name for a place in the palette. */
export function paint(colour: number | null): string {
  return colour === null ? "var(--measured-not)" : `var(--colour-${colour % COLOURS})`;
}

/** Gives an element the colour that its style calls `--own`. */
export function tint<E extends SVGElement | HTMLElement>(node: E, colour: number | null): E {
  node.style.setProperty("--own", paint(colour));
  return node;
}

/** The dash in the form that SVG and canvas use. */
export function dashes(dash: Dash): string {
  return DASHES[dash];
}

export function segments(dash: Dash): number[] {
  return dash === "solid" ? [] : DASHES[dash].split(" ").map(Number);
}

/** A colour of the style as it currently applies to `node`, for drawing on canvas. */
export function resolved(node: Element, colour: string): string {
  const probe = document.createElement("i");
  probe.style.color = colour;
  node.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
