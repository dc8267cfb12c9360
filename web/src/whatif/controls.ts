// All controls of a scenario: a few in sight, the others by group.

import { html } from "../dom";
import { type Changed, said, type Widget } from "./control";
import type { Control, Look, Refusal } from "./protocol";
import { Select } from "./select";
import { Slider } from "./slider";
import { pathOf, type State, valueAt } from "./state";

// Those in sight: the first with each of these paths, as many as there is room for.
const MAIN = [
  /^storage\..*\.type$/,
  /^storage\..*\.iops$/,
  /\.instance$/,
  /^workload\..*\.(processes|threads|rate)$/,
  /^storage\..*\.size$/,
];
const MOST_MAIN = 4;

/** What a change comes to, in words. */
export interface Difference {
  label: string;
  now: string;
  before: string;
}

export class Controls {
  readonly main = html("div", { class: "main" });
  readonly rest = html("div", { class: "groups" });
  #widgets = new Map<string, Widget>();
  #now: readonly Control[] = [];
  #listed = "";
  /** The controls before all changes, by path. */
  #before = new Map<string, Control>();

  /** `ended` ends a gesture. */
  constructor(
    readonly changed: Changed,
    readonly ended: () => void,
  ) {}

  /** Shows what a scenario has, beside what it had before all changes. */
  show(look: Look, before: Look): void {
    const { controls } = look;
    this.#before = new Map(before.controls.map((control) => [control.path, control]));
    const listed = controls.map(({ path, kind, group }) => `${group} ${kind} ${path}`).join("\n");
    if (listed !== this.#listed) this.#make(controls);
    this.#listed = listed;
    this.#now = controls;
    for (const control of controls) this.#put(control);
    this.refuse(undefined);
  }

  /** Shows the numbers of a state before the engine has looked at it. */
  foresee(state: State): void {
    for (const control of this.#now) {
      const value = Number.parseFloat(valueAt(state, control.path) ?? "");
      if (control.kind === "range" && Number.isFinite(value)) this.#put({ ...control, value });
    }
  }

  /** What differs from before. */
  differences(): Difference[] {
    return this.#now.flatMap((control) => {
      const old = this.#before.get(control.path);
      const [now, before] = [said(control), old ? said(old) : ""];
      return before && now !== before ? [{ label: named(control), now, before }] : [];
    });
  }

  has(path: string): boolean {
    return this.#widgets.has(path);
  }

  /** Whether such a change of the control at `path` leads to a scenario as before all changes. */
  isBack({ text, sets }: State, path: string, label?: string): boolean {
    return text === null && sets.every((set) => this.#isAsBefore(set, path, label));
  }

  #isAsBefore(set: string, path: string, label?: string): boolean {
    const own = pathOf(set);
    const control = this.#before.get(own);
    if (control?.kind === "range") return set === `${own}=${control.value}${control.suffix}`;
    if (control) return own === path && said(control) === label;
    // A choice takes away what it has no use for.
    return set.endsWith("=null");
  }

  /** Says beside its control what is refused, and returns its label if there is one. */
  refuse(refusal: Refusal | undefined, changed?: string): string | undefined {
    const path = refusal && this.#concerned(refusal, changed);
    const message = refusal?.message ?? "";
    for (const [own, each] of this.#widgets) each.refuse(own === path ? message : "");
    const control = this.#now.find((one) => one.path === path);
    return control && named(control);
  }

  /** The control that a refusal is of: that of its path, else the last one changed. */
  #concerned({ path }: Refusal, changed: string | undefined): string | undefined {
    const known = [path, changed].find((one) => one && this.#widgets.has(one));
    return known ?? undefined;
  }

  #put(control: Control): void {
    this.#widgets.get(control.path)?.show(control, this.#before.get(control.path));
  }

  #make(controls: readonly Control[]): void {
    const main = mainOf(controls);
    const name = (control: Control) => (main.includes(control) ? named(control) : control.label);
    this.#widgets = new Map(
      controls.map((control) => [control.path, this.#widget(control, name(control))]),
    );
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

  #widget(control: Control, name: string): Widget {
    return control.kind === "range"
      ? new Slider(control, name, this.changed, this.ended)
      : new Select(control, name, this.changed);
  }
}

/** The name of a control where its group does not stand above it: `IOPS of data`. */
function named({ label, group }: Control): string {
  return label.toLowerCase() === group.toLowerCase() ? label : `${label} of ${group}`;
}

function mainOf(controls: readonly Control[]): Control[] {
  const found = MAIN.map((path) => controls.find((control) => path.test(control.path)));
  return found.filter((control) => control !== undefined).slice(0, MOST_MAIN);
}
