// Draws the figures of a report, whose words are already in the page.

import { BarsChart } from "./bars";
import type { Chart } from "./chart";
import { CurvesChart } from "./curves";
import { html } from "./dom";
import { type Figure, read } from "./figure";
import { HeatChart } from "./heat";
import { LanesChart } from "./lanes";
import { LinesChart } from "./lines";
import { Panel } from "./panel";
import { SharedZoom } from "./shared_zoom";
import { onPaper, switcher } from "./theme";

function chart({ plot }: Figure): Chart {
  switch (plot.kind) {
    case "Lines":
      return new LinesChart(plot);
    case "Curves":
      return new CurvesChart(plot);
    case "Heat":
      return new HeatChart(plot);
    case "Bars":
      return new BarsChart(plot);
    case "Lanes":
      return new LanesChart(plot);
  }
}

/** Says words to a screen reader, without moving the focus. */
function announcer(): (words: string) => void {
  const live = html("div", { class: "unseen", role: "status" });
  document.body.append(live);
  return (words) => {
    live.textContent = words;
  };
}

function panels(figures: Figure[]): Panel[] {
  const say = announcer();
  const shared = new Map<string, SharedZoom>();
  return figures.flatMap((figure, number) => {
    const place = document.getElementById(`figure-${number}`);
    const made = chart(figure);
    return place ? [new Panel(place, figure, made, sharedZoom(made, shared), say)] : [];
  });
}

/** What a chart shows of its x axis, which it shares with others of its kind. */
function sharedZoom(
  { extent, shares }: Chart,
  shared: Map<string, SharedZoom>,
): SharedZoom | undefined {
  if (!extent) return undefined;
  const found = (shares && shared.get(shares)) || new SharedZoom();
  if (shares) shared.set(shares, found);
  found.cover(extent);
  return found;
}

const all = panels(read(document.getElementById("figures")?.textContent ?? ""));
const controls = document.getElementById("controls");
controls?.append(
  switcher(() => {
    for (const panel of all) panel.refresh();
  }),
);
onPaper(() => {
  for (const panel of all) panel.draw();
});
