// The buttons over all changes, and the line that says how far the answer is.

import { html } from "../dom";

interface Actions {
  undo(): void;
  redo(): void;
  reset(): void;
  stop(): void;
}

export class Bar {
  readonly element: HTMLElement;
  readonly #undo: HTMLButtonElement;
  readonly #redo: HTMLButtonElement;
  readonly #reset: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #warning = html("p", { class: "refused", role: "alert", hidden: true });
  readonly #said = html("p", { class: "progress", role: "status" });

  constructor(actions: Actions) {
    this.#undo = button("Undo", "Control+Z", () => actions.undo());
    this.#redo = button("Redo", "Control+Shift+Z", () => actions.redo());
    this.#reset = button("Reset", "", () => actions.reset());
    this.#stop = button("Stop", "", () => actions.stop());
    this.#stop.hidden = true;
    const buttons = html("div", { class: "buttons" }, this.#undo, this.#redo, this.#reset);
    this.element = html("div", { class: "acts" }, buttons, this.#said, this.#stop, this.#warning);
  }

  enable(undo: boolean, redo: boolean, reset: boolean): void {
    enable(this.#undo, undo);
    enable(this.#redo, redo);
    enable(this.#reset, reset);
  }

  /** Says what the next change takes away. */
  warn(words: string): void {
    this.#warning.textContent = words;
    this.#warning.hidden = words === "";
  }

  /** `runs` is whether there is something to stop. */
  say(words: string, runs = false): void {
    if (this.#said.textContent !== words) this.#said.textContent = words;
    this.#stop.hidden = !runs;
  }
}

function button(words: string, keys: string, act: () => void): HTMLButtonElement {
  const shortcut = { "aria-keyshortcuts": keys, title: keys.replace("Control", "Ctrl") };
  const made = html("button", { type: "button", ...(keys && shortcut) }, words);
  made.addEventListener("click", () => {
    if (made.getAttribute("aria-disabled") !== "true") act();
  });
  return made;
}

/** One that is switched off keeps the focus, so that it is not lost. */
function enable(button: HTMLButtonElement, enabled: boolean): void {
  if (enabled) button.removeAttribute("aria-disabled");
  else button.setAttribute("aria-disabled", "true");
}
