// The legend of a chart: a button for each entry, which switches it off and on.

import type { Key } from "./chart";
import { html, svg } from "./dom";
import { tint } from "./paint";

/** `changed` is called whenever `hidden` has changed. */
export function legend(
  keys: readonly Key[],
  hidden: Set<number>,
  changed: () => void,
): HTMLElement {
  const buttons = keys.map((key, number) => {
    const button = html("button", { type: "button", "aria-pressed": true }, swatch(key), key.label);
    button.addEventListener("click", () => {
      if (!hidden.delete(number)) hidden.add(number);
      button.setAttribute("aria-pressed", String(!hidden.has(number)));
      changed();
    });
    return button;
  });
  return html(
    "div",
    { class: "legend", role: "group", "aria-label": "Legend: shows and hides" },
    ...buttons,
  );
}

/** A piece of the line, or of the area, or the marker, that the entry stands for. */
function swatch({ colour, dash, marker }: Key): SVGElement {
  return tint(svg("svg", { width: 24, height: 12, "aria-hidden": "true" }, piece()), colour);

  function piece(): SVGElement {
    if (marker) return svg("path", { class: "marker", d: marker, transform: "translate(12,6)" });
    if (dash === null) return svg("rect", { class: "area", x: 6, y: 0, width: 12, height: 12 });
    return svg("path", { class: "stroke", d: "M0,6h24", "stroke-dasharray": dash });
  }
}
