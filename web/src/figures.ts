// Figures drawn in their places, which share a zoom where they share an x axis.

import { BarsChart } from "./bars";
import { CellsChart } from "./cells";
import type { Chart, Point } from "./chart";
import { CurvesChart } from "./curves";
import type { Figure } from "./figure";
import { HeatChart } from "./heat";
import { LanesChart } from "./lanes";
import { LinesChart } from "./lines";
import { Panel } from "./panel";
import { SharedZoom } from "./shared_zoom";

export class Figures {
  /** Takes a point that is clicked; figures that are drawn while there is none have no such. */
  pick: ((point: Point) => void) | undefined;
  #panels: Panel[] = [];
  #drawn: Figure[] = [];
  #shared = new Map<string, SharedZoom>();

  /** `say` passes words to a screen reader. */
  constructor(readonly say: (words: string) => void) {}

  /** Draws figures into elements, one each; a figure without an element is left out. */
  draw(figures: readonly Figure[], places: readonly (HTMLElement | null)[]): void {
    this.#shared = new Map();
    const placed = figures.flatMap((figure, number) => {
      const place = places[number];
      return place ? [{ figure, place }] : [];
    });
    this.#drawn = placed.map(({ figure }) => figure);
    this.#panels = placed.map(({ figure, place }) => {
      const made = chart(figure);
      const pick = this.pick && ((point: Point) => this.pick?.(point));
      return new Panel(place, figure, made, this.#zoom(made), this.say, pick);
    });
  }

  /** Draws other data in the same places; false if these are not figures of the same kinds. */
  update(figures: readonly Figure[]): boolean {
    if (!alike(figures, this.#drawn)) return false;
    const charts = figures.map(chart);
    for (const zoom of this.#shared.values()) zoom.uncover();
    for (const made of charts) this.#zoom(made);
    this.#panels.forEach((panel, number) => {
      panel.update(figures[number], charts[number]);
    });
    this.#drawn = [...figures];
    return true;
  }

  /** Draws again what is visible, and the rest once it is. */
  refresh(): void {
    for (const panel of this.#panels) panel.refresh();
  }

  /** Draws all at once, as for paper. */
  drawAll(): void {
    for (const panel of this.#panels) panel.draw();
  }

  /** What a chart shows of its x axis, which it shares with others of its kind. */
  #zoom({ extent, shares }: Chart): SharedZoom | undefined {
    if (!extent) return undefined;
    const found = (shares && this.#shared.get(shares)) || new SharedZoom();
    if (shares) this.#shared.set(shares, found);
    found.cover(extent);
    return found;
  }
}

function alike(figures: readonly Figure[], others: readonly Figure[]): boolean {
  const kind = ({ name, plot }: Figure) => `${name} ${plot.kind} ${plot.x.label} ${plot.x.unit}`;
  return (
    figures.length === others.length &&
    figures.every((figure, number) => kind(figure) === kind(others[number]))
  );
}

function chart({ plot }: Figure): Chart {
  switch (plot.kind) {
    case "Lines":
      return new LinesChart(plot);
    case "Curves":
      return new CurvesChart(plot);
    case "Heat":
      return new HeatChart(plot);
    case "Cells":
      return new CellsChart(plot);
    case "Bars":
      return new BarsChart(plot);
    case "Lanes":
      return new LanesChart(plot);
  }
}
