// The panel: what is changed in it is asked, and what is answered is shown.

import { html } from "../dom";
import { clock } from "../format";
import { Bar } from "./bar";
import { Changes } from "./changes";
import { Controls } from "./controls";
import { Copying } from "./copying";
import { Editor } from "./editor";
import { StoppedError } from "./engine";
import type { Given, Scenario } from "./given";
import { History } from "./history";
import { type Audience, Inquiry, type Progress, type Question } from "./inquiry";
import { undoneByKeys } from "./keys";
import type { Laboratory } from "./laboratory";
import type { Look, RefusedError, Report } from "./protocol";
import type { Shown } from "./shown";
import { edited, isUnchanged, START, type State, unchanged, withText, withValue } from "./state";

export class WhatIf implements Audience {
  readonly #history: History;
  readonly #inquiry: Inquiry;
  readonly #controls: Controls;
  readonly #editor: Editor;
  readonly #changes: Changes;
  readonly #bar: Bar;
  readonly #copying: Copying;
  #look: Look | undefined;
  /** The text whose values are those before all changes. */
  #lookedAt: string | undefined;
  /** The path changed last. */
  #touched: string | undefined;
  #waits = false;

  constructor(
    readonly given: Given,
    readonly laboratory: Laboratory,
    readonly shown: Shown,
  ) {
    this.#history = new History({
      moved: () => this.#ask(),
      unreadable: (why) => this.#say(`The address has changes that cannot be read: ${why}.`),
      turned: () => this.#turned(),
    });
    const ended = () => this.#history.end();
    this.#inquiry = new Inquiry(laboratory, this);
    this.#controls = new Controls((...change) => this.#set(...change), ended);
    this.#editor = new Editor((text) => this.#type(text), ended);
    this.#changes = new Changes(this.#controls);
    this.#copying = new Copying(() => laboratory.copies(edited(this.#state, this.#base)));
    this.#bar = new Bar({
      undo: () => this.#history.undo(),
      redo: () => this.#history.redo(),
      reset: () => this.#change(unchanged(this.#state)),
      stop: () => this.#inquiry.stop(),
    });
    undoneByKeys(
      () => this.#history.undo(),
      () => this.#history.redo(),
    );
  }

  /** What stands in the panel. */
  elements(): HTMLElement[] {
    const more = html(
      "details",
      { class: "more" },
      html("summary", {}, "All controls, YAML, copies"),
      html("div", { class: "sides" }, this.#controls.rest, this.#editor.element),
      this.#copying.element,
    );
    return [this.#controls.main, this.#bar.element, this.#changes.element, more];
  }

  begin(): Promise<void> {
    return this.#history.begin();
  }

  /** Turns to another of the page's scenarios, or to one of its own. */
  open(state: Partial<State>): void {
    this.#change({ ...START, ...state });
  }

  looked({ state }: Question, look: Look): void {
    this.#look = look;
    this.#controls.show(look, this.#state);
    this.#editor.refuse(undefined);
    this.#changes.show(this.#state);
    if (state !== this.#state) return;
    const isTyped = state.text !== null && state.sets.length === 0;
    this.#editor.show(isTyped ? (state.text ?? "") : look.yaml);
  }

  hasOwn({ state }: Question): boolean {
    return this.given.own && state.base === null;
  }

  own(): void {
    this.shown.own();
    this.#say("");
  }

  simulating(_: Question, whole: number | undefined): void {
    this.shown.busy(true);
    this.#say(`Simulating${length(whole)}…`, true);
  }

  answered({ state }: Question, report: Report, { first, whole, goesOn }: Progress): void {
    this.shown.show(
      report,
      this.#scenario(state)?.simulated === false ? "before, simulated" : "before",
    );
    this.shown.busy(goesOn);
    const part = first === undefined ? `All${length(whole)} simulated.` : "";
    const more = goesOn ? " Simulating the rest…" : "";
    this.#say(part || `First ${first} s of${length(whole) || " the run"}.${more}`, goesOn);
  }

  refused({ state, base }: Question, { refusal }: RefusedError): void {
    this.shown.stale(true);
    this.shown.busy(false);
    this.#changes.show(this.#state);
    const beside = this.#controls.refuse(refusal, this.#touched);
    if (state.sets.length === 0) {
      this.#editor.show(state.text ?? base);
      this.#editor.refuse(refusal);
    }
    const what = beside ? `${beside} is refused` : refusal.message;
    this.#say(`${what}. What is shown is of the last values that were accepted.`);
  }

  failed(_: Question, error: Error): void {
    this.shown.busy(false);
    if (error instanceof StoppedError) {
      this.#say("Stopped. What is shown is of the part that was simulated.");
      return;
    }
    this.shown.stale(true);
    this.#say(error.message);
  }

  get #state(): State {
    return this.#history.state;
  }

  get #base(): string {
    return this.#state.base ?? this.#scenario(this.#state)?.text ?? "";
  }

  #scenario({ of }: State): Scenario | undefined {
    const { scenarios } = this.given;
    return of ? scenarios.find(({ name }) => name === of) : scenarios[0];
  }

  #set(path: string, value: string, gesture?: string): void {
    this.#touched = path;
    this.#change(
      withValue(
        this.#state,
        path,
        value,
        this.#state.text === null ? this.#controls.beforeOf(path) : undefined,
      ),
      gesture,
    );
  }

  #type(text: string): void {
    this.#touched = undefined;
    this.#change(withText(this.#state, text, this.#base), "yaml");
  }

  #change(state: State, gesture?: string): void {
    this.#history.change(state, gesture);
    this.#ask();
  }

  /** Asks what the state is by the next frame, however often it changes until then. */
  #ask(): void {
    if (this.#look) this.#controls.foresee(this.#state, this.#look);
    this.#copying.clear();
    if (this.#waits) return;
    this.#waits = true;
    requestAnimationFrame(() => {
      this.#waits = false;
      this.#lookBefore();
      this.#inquiry.ask({ state: this.#state, base: this.#base });
    });
  }

  /** Finds the values before all changes, once for a scenario. */
  #lookBefore(): void {
    const base = this.#base;
    if (this.#lookedAt === base) return;
    this.#lookedAt = base;
    const keep = (look: Look) => {
      this.#controls.before = look;
    };
    this.laboratory.look({ text: base, sets: [] }).then(keep, () => undefined);
  }

  #turned(): void {
    const { canUndo, canRedo } = this.#history;
    this.#bar.enable(canUndo, canRedo, !isUnchanged(this.#state));
  }

  #say(words: string, runs = false): void {
    this.#bar.say(words, runs);
  }
}

/** How long a run is, in words. */
function length(seconds: number | undefined): string {
  if (seconds === undefined) return "";
  return seconds < 120 ? ` ${seconds} s` : ` ${clock(seconds)}`;
}
