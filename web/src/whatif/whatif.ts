// The panel: what is changed in it is asked, and what is answered is shown.

import { html } from "../dom";
import { Bar } from "./bar";
import { Changes } from "./changes";
import { Choosing } from "./choosing";
import type { Act } from "./control";
import { Controls } from "./controls";
import { Copying } from "./copying";
import { Editor } from "./editor";
import { StoppedError } from "./engine";
import type { Given, Scenario } from "./given";
import { History } from "./history";
import { type Audience, Inquiry, type Progress, type Question } from "./inquiry";
import { undoneByKeys } from "./keys";
import type { Laboratory } from "./laboratory";
import { Planning, report } from "./planning";
import { simulated, simulating } from "./progress";
import type { Look, Plan, RefusedError, Report } from "./protocol";
import type { Shown } from "./shown";
import {
  edited,
  isUnchanged,
  requirementOf,
  START,
  type State,
  unchanged,
  valueAt,
  withSets,
  withText,
} from "./state";

export class WhatIf implements Audience {
  readonly #history: History;
  readonly #inquiry: Inquiry;
  readonly #controls: Controls;
  readonly #editor: Editor;
  readonly #changes: Changes;
  readonly #bar: Bar;
  readonly #copying: Copying;
  readonly #choosing: Choosing;
  readonly #planning: Planning | undefined;
  /** What is of a scenario, above the buttons and below; not to be seen while none is open. */
  readonly #scenario = [html("div"), html("div")];
  /** The path changed last. */
  #touched: string | undefined;
  #waits = false;

  constructor(
    readonly given: Given,
    readonly laboratory: Laboratory,
    readonly shown: Shown,
  ) {
    this.#history = new History({
      foreign: (state) => this.#foreign(state),
      moved: () => this.#ask(),
      unreadable: (why) => {
        this.#bar.warn(`The changes in the address cannot be read: ${why}.`);
        this.#ask();
      },
      turned: () => this.#turned(),
    });
    const ended = () => this.#history.end();
    this.#inquiry = new Inquiry(laboratory, this);
    this.#controls = new Controls((act) => this.#set(act), ended);
    this.#editor = new Editor((text) => this.#type(text), ended);
    this.#changes = new Changes(this.#controls);
    this.#choosing = new Choosing(given, (of) => this.#open({ of }));
    this.#planning = given.regions
      ? new Planning(given.regions, (plan) => this.#open({ plan }))
      : undefined;
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
    const [above, below] = this.#scenario;
    above.append(this.#controls.main);
    below.append(this.#changes.element, more);
    const plan = this.#planning ? [this.#planning.element] : [];
    return [this.#choosing.element, ...plan, above, this.#bar.element, below];
  }

  begin(): Promise<void> {
    return this.#history.begin();
  }

  looked({ state, base }: Question, look: Look, before: Look): void {
    this.#controls.show(look, before);
    this.#editor.refuse(undefined);
    this.#changes.show(state);
    if (state !== this.#state) this.#controls.foresee(this.#state);
    else this.#editor.show(state.sets.length > 0 ? look.yaml : (state.text ?? base));
  }

  hasOwn({ state }: Question): boolean {
    return this.given.own && state.base === null;
  }

  own(question: Question): void {
    this.shown.own();
    this.#rest(question);
    this.#bar.say("");
  }

  simulating(_: Question, whole: number | undefined): void {
    this.#bar.say(simulating(whole), true);
  }

  answered(question: Question, said: Report, progress: Progress): void {
    const measured = this.#named(question.state)?.simulated === false;
    this.shown.show(said, measured ? { was: "before, simulated" } : {});
    if (!progress.goesOn) this.#rest(question);
    this.#bar.say(simulated(progress), progress.goesOn);
  }

  planning({ state }: Question): void {
    this.#planning?.show(state.plan ?? "");
    this.#bar.say("Planning…", true);
  }

  planned(question: Question, plan: Plan): void {
    const open = (base: string) => this.#open({ plan: question.state.plan, base });
    this.#rest(question);
    this.shown.show(...report(plan, open));
    this.#bar.say("Planned.");
  }

  refused(question: Question, { refusal, message }: RefusedError): void {
    const { state, base } = question;
    this.shown.stale(true);
    this.#rest(question);
    if (requirementOf(state) !== null) {
      const beside = this.#planning?.refuse(refusal);
      this.#bar.say(beside ? "The requirement is refused." : message);
      return;
    }
    // An address may have other changes than what was touched last.
    const touched = this.#touched && valueAt(state, this.#touched) !== undefined;
    const beside = this.#controls.refuse(refusal, touched ? this.#touched : undefined);
    if (state.sets.length === 0) {
      this.#editor.show(state.text ?? base);
      this.#editor.refuse(refusal);
    }
    const what = beside ? `${beside} is refused` : message;
    this.#bar.say(
      `${what.replace(/\.$/, "")}. What is shown is of the last values that were accepted.`,
    );
  }

  failed(question: Question, error: Error): void {
    this.#rest(question);
    if (error instanceof StoppedError) {
      this.#bar.say("Stopped. What is shown is of the part that was simulated.");
      return;
    }
    this.shown.stale(true);
    this.#bar.say(error.message);
  }

  /** There is an answer, unless another one is asked for by now. */
  #rest({ state }: Question): void {
    if (state === this.#state) this.shown.busy(false);
  }

  get #state(): State {
    return this.#history.state;
  }

  get #base(): string {
    return this.#state.base ?? this.#named(this.#state)?.text ?? "";
  }

  #named({ of }: State): Scenario | undefined {
    const { scenarios } = this.given;
    return of ? scenarios.find(({ name }) => name === of) : scenarios[0];
  }

  /** Why an address is of another page than this one, if it is. */
  #foreign(state: State): string | undefined {
    if (!this.#named(state)) return `this page has no scenario \`${state.of.slice(0, 40)}\``;
    return state.plan !== null && !this.#planning ? "this page plans no layouts" : undefined;
  }

  #set({ path, sets, label, gesture }: Act): void {
    this.#touched = path;
    const state = withSets(this.#state, sets);
    const isBack = this.#controls.isBack(state, path, label);
    this.#change(isBack ? unchanged(state) : state, gesture);
  }

  #type(text: string): void {
    this.#touched = undefined;
    this.#change(withText(this.#state, text, this.#base), "yaml");
  }

  /** Turns to another scenario, or to a plan. */
  #open(state: Partial<State>): void {
    this.#change({ ...START, ...state });
  }

  #change(state: State, gesture?: string): void {
    this.#bar.warn("");
    this.#history.change(state, gesture);
    this.#ask();
  }

  /** Asks what the state is by the next frame, however often it changes until then. */
  #ask(): void {
    this.shown.busy(true);
    this.#controls.foresee(this.#state);
    this.#copying.clear();
    const { plan, base } = this.#state;
    this.#choosing.show(
      plan === null && base === null ? this.#named(this.#state)?.name : undefined,
    );
    for (const part of this.#scenario) part.hidden = requirementOf(this.#state) !== null;
    if (this.#waits) return;
    this.#waits = true;
    requestAnimationFrame(() => {
      this.#waits = false;
      this.#inquiry.ask({ state: this.#state, base: this.#base });
    });
  }

  #turned(): void {
    const { canUndo, canRedo } = this.#history;
    this.#bar.enable(canUndo, canRedo, !isUnchanged(this.#state));
  }
}
