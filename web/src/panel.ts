// A chart and what surrounds it: legend, cursor, zoom, keys, data. The same for every kind.

import type { Box, Chart, Point, Reading } from "./chart";
import { html } from "./dom";
import { Drag } from "./drag";
import type { Figure } from "./figure";
import { legend } from "./legend";
import type { SharedZoom } from "./shared_zoom";
import { data } from "./table";
import { isOnPaper } from "./theme";
import { Tip } from "./tip";

const HEIGHT = { screen: 264, paper: 208 };

const KEYS = "Arrow keys read the values";
const ZOOM_KEYS = ", plus and minus zoom, Escape shows all";
const PICK_KEYS = ", Enter opens a point";

// Who points no further from a point than that, in pixels, means it.
const CLOSE = 24;

export class Panel {
  readonly #stage: HTMLElement;
  readonly #canvas = html("div");
  readonly #cursor = html("div", { class: "cursor", hidden: true });
  readonly #drag = new Drag();
  readonly #tip = new Tip();
  readonly #reset = html("button", { type: "button", class: "reset", hidden: true }, "Show all");
  readonly #hidden = new Set<number>();
  readonly #zoom: SharedZoom | undefined;
  readonly #say: (words: string) => void;
  readonly #pick: ((point: Point) => void) | undefined;
  #chart: Chart;
  #legend: HTMLElement;
  #data: HTMLDetailsElement;
  #box: Box = { left: 0, top: 0, width: 0, height: 0 };
  #width = 0;
  #reading: Reading | undefined;
  #seen = false;
  #stale = true;

  /** `say` passes words to a screen reader; `pick` takes a point that is clicked, if it may be. */
  constructor(
    place: HTMLElement,
    figure: Figure,
    chart: Chart,
    zoom: SharedZoom | undefined,
    say: (words: string) => void,
    pick?: (point: Point) => void,
  ) {
    this.#chart = chart;
    this.#zoom = zoom;
    this.#say = say;
    this.#pick = pick;
    this.#stage = html(
      "div",
      {
        class: "stage",
        role: "application",
        tabindex: 0,
        "aria-roledescription": "chart",
        "aria-label": `${figure.title}. ${KEYS}${zoom ? ZOOM_KEYS : ""}${pick ? PICK_KEYS : ""}.`,
      },
      ...[this.#canvas, this.#cursor, this.#drag.element, this.#tip.element],
    );
    this.#legend = this.#toggles();
    this.#data = data(figure.name, figure.title, chart.table);
    const bar = html("div", { class: "bar" }, this.#legend, this.#reset);
    place.append(bar, this.#stage, this.#data);
    zoom?.listen(
      () => this.refresh(),
      (at) => this.#mark(at),
    );
    this.#points();
    this.#keys();
    this.#watch();
  }

  /** Shows other data of the same kind, with what was zoomed and hidden as it was. */
  update({ name, title }: Figure, chart: Chart): void {
    const named = ({ keys }: Chart) => keys.map(({ label }) => label).join("\n");
    const same = named(chart) === named(this.#chart);
    this.#chart.drop?.();
    this.#chart = chart;
    if (!same) {
      this.#hidden.clear();
      const toggles = this.#toggles();
      this.#legend.replaceWith(toggles);
      this.#legend = toggles;
    }
    const table = data(name, title, chart.table);
    table.open = this.#data.open;
    this.#data.replaceWith(table);
    this.#data = table;
    this.refresh();
  }

  /** The legend; nothing to see where there is nothing to switch. */
  #toggles(): HTMLElement {
    const { keys } = this.#chart;
    return keys.length > 0 ? legend(keys, this.#hidden, () => this.refresh()) : html("span");
  }

  /** Draws again, as soon as the chart is visible. */
  refresh(): void {
    this.#stale = true;
    if (this.#seen) requestAnimationFrame(() => this.#stale && this.draw());
  }

  draw(): void {
    this.#stale = false;
    const before = this.#reading;
    this.#leave();
    this.#width = this.#stage.clientWidth;
    this.#box = this.#chart.draw(this.#canvas, {
      width: this.#width,
      height: isOnPaper() ? HEIGHT.paper : HEIGHT.screen,
      window: this.#zoom?.window,
      paper: isOnPaper(),
      hidden: this.#hidden,
    });
    this.#reset.hidden = !this.#zoom?.zoomed;
    this.#readAgain(before);
  }

  /** After the chart was redrawn, reading by keys continues at the same place. */
  #readAgain(before: Reading | undefined): void {
    if (!before || document.activeElement !== this.#stage) return;
    const { x, y, place } = before;
    if (place === undefined) this.#read(this.#chart.near(x, y));
    else if (this.#chart.x.has(place)) this.#read(this.#chart.near(this.#chart.x.at(place), y));
  }

  /** Charts are drawn when they become visible, and again when their width changes. */
  #watch(): void {
    new ResizeObserver(() => {
      if (this.#stage.clientWidth !== this.#width) this.refresh();
    }).observe(this.#stage);
    const seen = (entries: IntersectionObserverEntry[]) => {
      this.#seen = entries[entries.length - 1].isIntersecting;
      if (this.#seen && this.#stale) this.draw();
    };
    new IntersectionObserver(seen, { rootMargin: "200px" }).observe(this.#stage);
  }

  #keys(): void {
    this.#stage.addEventListener("keydown", (event) => this.#key(event));
    this.#stage.addEventListener("blur", () => this.#leave());
    this.#reset.addEventListener("click", () => {
      this.#zoom?.show(undefined);
      this.#stage.focus();
    });
  }

  #points(): void {
    const stage = this.#stage;
    stage.addEventListener("pointermove", (event) => this.#move(this.#pixel(event)));
    stage.addEventListener("pointerleave", () => this.#leave());
    stage.addEventListener("pointerdown", (event) => {
      if (!this.#zoom || event.button !== 0) return;
      this.#drag.start(this.#pixel(event).x);
      stage.setPointerCapture(event.pointerId);
    });
    stage.addEventListener("pointerup", (event) => {
      const pixel = this.#pixel(event);
      const [from, to] = this.#drag.end(pixel.x) ?? [];
      if (from === undefined || to === undefined) this.#click(pixel);
      else this.#zoom?.show([this.#chart.x.value(from), this.#chart.x.value(to)]);
    });
    stage.addEventListener("pointercancel", () => this.#drag.end(0));
    stage.addEventListener("dblclick", () => this.#zoom?.show(undefined));
  }

  #pixel(event: PointerEvent): { x: number; y: number } {
    const { left, top } = this.#stage.getBoundingClientRect();
    const x = event.clientX - left - this.#box.left;
    return { x: Math.max(0, Math.min(this.#box.width, x)), y: event.clientY - top - this.#box.top };
  }

  #move({ x, y }: { x: number; y: number }): void {
    if (this.#drag.going) {
      this.#tip.hide();
      this.#drag.move(x, this.#box);
    } else {
      this.#read(this.#chart.near(x, y));
    }
  }

  /** Picks the point that is clicked. */
  #click({ x, y }: { x: number; y: number }): void {
    const near = this.#pick && this.#chart.near(x, y);
    if (near && Math.hypot(near.x - x, near.y - y) < CLOSE) this.#open(near);
  }

  #open(reading: Reading | undefined): void {
    if (reading?.point) this.#pick?.(reading.point);
  }

  /** Zooms by keys: in or out by half, around the place being read or else the middle. */
  #scale(factor: number): void {
    const { x } = this.#chart;
    const middle = this.#reading?.x ?? x.pixels / 2;
    const half = (factor * x.pixels) / 2;
    const first = Math.max(-x.pixels, middle - half);
    this.#zoom?.show([x.value(first), x.value(first + 2 * half)]);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const far = event.shiftKey ? 10 : 1;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.#step(-far, 0),
      ArrowRight: () => this.#step(far, 0),
      ArrowUp: () => this.#step(0, far),
      ArrowDown: () => this.#step(0, -far),
      Home: () => this.#step(Number.NEGATIVE_INFINITY, 0),
      End: () => this.#step(Number.POSITIVE_INFINITY, 0),
      Escape: () => this.#zoom?.show(undefined),
      ...(this.#pick && { Enter: () => this.#open(this.#reading) }),
      "+": () => this.#scale(0.5),
      "=": () => this.#scale(0.5),
      "-": () => this.#scale(2),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  #step(right: number, up: number): void {
    this.#read(this.#chart.step(this.#reading, right, up));
    if (!this.#reading) return;
    const { head, values } = this.#reading;
    this.#say([head, ...values.map(({ label, value }) => `${label} ${value}`)].join("; "));
  }

  #read(reading: Reading | undefined): void {
    this.#reading = reading;
    if (!reading) {
      this.#leave();
      return;
    }
    this.#tip.show(reading, this.#box, this.#stage.clientWidth);
    if (this.#zoom) this.#zoom.point(reading.place);
  }

  #leave(): void {
    this.#reading = undefined;
    this.#tip.hide();
    this.#zoom?.point(undefined);
  }

  /** Marks a place on the x axis, which this chart or another one points at. */
  #mark(place: number | undefined): void {
    const shown = !this.#stale && place !== undefined && this.#chart.x.has(place);
    this.#cursor.hidden = !shown;
    if (!shown) return;
    const { left, top, height } = this.#box;
    Object.assign(this.#cursor.style, {
      left: `${left + this.#chart.x.at(place)}px`,
      top: `${top}px`,
      height: `${height}px`,
    });
  }
}
