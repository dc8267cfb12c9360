// All controls of a scenario: a few in sight, the others by group.

import { html } from "../dom";
import { type Changed, type Widget, widget } from "./control";
import type { Control, Look, Refusal } from "./protocol";
import { type State, valueAt } from "./state";

// As many stay in sight.
const MOST_MAIN = 4;

export class Controls {
  readonly main = html("div", { class: "main" });
  readonly rest = html("div", { class: "groups" });
  #widgets = new Map<string, Widget>();
  #listed = "";
  /** The values without changes, by scenario. */
  #before = new Map<string, string>();
  #labels = new Map<string, string>();

  constructor(
    readonly changed: Changed,
    readonly ended: () => void,
  ) {}

  /** The values before all changes. */
  set before(look: Look) {
    this.#before = new Map(look.controls.map(({ path, value }) => [path, value]));
  }

  beforeOf(path: string): string | undefined {
    return this.#before.get(path);
  }

  labelOf(path: string): string {
    return this.#labels.get(path) ?? path;
  }

  /** A value in words. */
  said(path: string, value: string): string {
    return this.#widgets.get(path)?.said(value) ?? value;
  }

  show({ controls }: Look, state: State): void {
    const listed = controls.map(({ path, kind, group }) => `${group} ${kind} ${path}`).join("\n");
    if (listed !== this.#listed) this.#make(controls);
    this.#listed = listed;
    for (const control of controls) {
      const { path, value } = control;
      this.#labels.set(path, control.label);
      this.#widgets.get(path)?.show(control, valueAt(state, path) ?? value, this.#before.get(path));
    }
    this.refuse(undefined);
  }

  /** Shows what a state has, before the engine has looked at it. */
  foresee(state: State, known: Look): void {
    for (const control of known.controls) {
      const value = valueAt(state, control.path);
      if (value === undefined) continue;
      this.#widgets.get(control.path)?.show(control, value, this.#before.get(control.path));
    }
  }

  /** Says beside its control what is refused, and returns its label if there is one. */
  refuse(refusal: Refusal | undefined, changed?: string): string | undefined {
    const path = refusal && this.#concerned(refusal, changed);
    const message = refusal?.message ?? "";
    for (const [own, each] of this.#widgets) each.refuse(own === path ? message : "");
    return path === undefined ? undefined : this.labelOf(path);
  }

  /** The control that a refusal is of: that of its path, else the last one changed. */
  #concerned({ path }: Refusal, changed: string | undefined): string | undefined {
    const plain = (at: string) => at.replaceAll(".of.", ".");
    const paths = [...this.#widgets.keys()];
    const own = path === null ? undefined : paths.find((one) => plain(one) === plain(path));
    return own ?? (changed !== undefined && this.#widgets.has(changed) ? changed : undefined);
  }

  #make(controls: readonly Control[]): void {
    this.#widgets = new Map(
      controls.map((control) => [control.path, widget(control, this.changed, this.ended)]),
    );
    const main = mainOf(controls);
    const element = ({ path }: Control) => this.#widgets.get(path)?.element ?? "";
    this.main.replaceChildren(...main.map(element));
    const rest = controls.filter((control) => !main.includes(control));
    const groups = [...new Set(rest.map(({ group }) => group))];
    this.rest.replaceChildren(
      ...groups.map((group) =>
        html(
          "fieldset",
          {},
          html("legend", {}, group),
          ...rest.filter((control) => control.group === group).map(element),
        ),
      ),
    );
  }
}

/** Those the engine names, or else the first sliders. */
function mainOf(controls: readonly Control[]): Control[] {
  const named = controls.filter(({ main }) => main);
  return (named.length > 0 ? named : controls.filter(({ kind }) => kind === "range")).slice(
    0,
    MOST_MAIN,
  );
}
