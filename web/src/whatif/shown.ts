// What the page shows in place of its own report: headline, tiles, words and figures.

import type { Point } from "../chart";
import { html } from "../dom";
import { type Figure, figuresOf } from "../figure";
import type { Figures } from "../figures";
import { passages, tiles } from "./passages";
import type { Report } from "./protocol";

/** What is shown with a report. */
export interface Beside {
  was?: string;
  /** What stands before the words. */
  more?: HTMLElement[];
  /** Takes a point of a chart that is clicked. */
  pick?: (point: Point) => void;
}

export class Shown {
  /** Above the panel. */
  readonly #head = html("div", { class: "shown", hidden: true });
  /** Below it. */
  readonly #body = html("div", { class: "shown", hidden: true });
  readonly #words = html("div");
  readonly #charts = html("section");
  readonly #own: HTMLElement[];

  constructor(
    readonly panel: HTMLElement,
    readonly figures: Figures,
  ) {
    this.#own = [...document.querySelectorAll<HTMLElement>("[data-own]")];
    this.#body.append(this.#charts, this.#words);
    panel.before(this.#head);
    panel.after(this.#body);
  }

  /** Whether the page's own report is what is to be seen. */
  get isOwn(): boolean {
    return this.#head.hidden === true;
  }

  own(): void {
    this.#above(() => this.#turn(true));
    this.stale(false);
  }

  /** `was` names what stood there before, in tiles. */
  show(report: Report, { was = "before", more = [], pick }: Beside = {}): void {
    const { headline, conclusion, before } = report;
    const [first, ...others] = [...conclusion, headline];
    const now = tiles(report.tiles, before, was);
    this.#above(() => {
      this.#head.replaceChildren(html("p", { class: "headline" }, first), now);
      this.#turn(false);
    });
    const words = passages(report.passages, others);
    this.#words.replaceChildren(...more, ...(words ? [words] : []));
    this.figures.pick = pick;
    this.#draw(figuresOf(report.figures));
    this.stale(false);
  }

  /** Whether what is shown is no answer to what is asked now. */
  stale(isStale: boolean): void {
    const parts = [this.#head, this.#body, ...this.#own];
    for (const part of parts) part.classList.toggle("stale", isStale);
  }

  /** Whether an answer is on its way. */
  busy(isBusy: boolean): void {
    for (const part of [this.#head, this.#body]) part.setAttribute("aria-busy", String(isBusy));
  }

  /** Changes what stands above the panel, which stays where it is on the screen. */
  #above(change: () => void): void {
    const { top } = this.panel.getBoundingClientRect();
    change();
    scrollBy(0, this.panel.getBoundingClientRect().top - top);
  }

  #turn(toOwn: boolean): void {
    for (const part of this.#own) part.hidden = !toOwn;
    this.#head.hidden = toOwn;
    this.#body.hidden = toOwn;
  }

  #draw(all: Figure[]): void {
    if (this.figures.update(all)) {
      // The words beside a figure have values in them.
      const said = this.#charts.querySelectorAll("figcaption p");
      all.forEach(({ caption }, number) => {
        said[number].textContent = caption;
      });
      return;
    }
    const places = all.map(({ title, caption }) =>
      html("figure", {}, html("figcaption", {}, html("h3", {}, title), html("p", {}, caption))),
    );
    const parts = grouped(all).map((numbers) =>
      html("div", { class: "group" }, ...numbers.map((number) => places[number])),
    );
    this.#charts.replaceChildren(html("h2", {}, "Charts"), ...parts);
    this.figures.draw(all, places);
  }
}

/**
 * The numbers of figures: the first alone, those of a group together, and those that are alone in
 * theirs with the ones after them.
 */
function grouped(all: readonly Figure[]): number[][] {
  const isAlone = (number: number) =>
    ![all[number - 1], all[number + 1]].some((other) => isBeside(all[number], other));
  const groups: number[][] = [];
  all.forEach((figure, number) => {
    const both = isAlone(number) && isAlone(number - 1);
    const goesOn = number > 1 && (both || isBeside(figure, all[number - 1]));
    if (goesOn) groups[groups.length - 1].push(number);
    else groups.push([number]);
  });
  return groups;
}

function isBeside({ group }: Figure, other: Figure | undefined): boolean {
  return Boolean(group) && group === other?.group;
}
