// Copies of what is asked: a command line, a scenario, Terraform.

import { html } from "../dom";
import type { Copies } from "./protocol";

const KINDS = [
  ["command", "Copy as a command"],
  ["scenario", "Copy as a scenario"],
  ["terraform", "Copy as Terraform"],
] as const;

export class Copying {
  readonly element: HTMLElement;
  readonly #text = html("textarea", { readonly: true, rows: 6, "aria-label": "Copied text" });
  readonly #said = html("p", { class: "note", role: "status" });

  constructor(readonly copies: () => Promise<Copies>) {
    this.#text.hidden = true;
    const buttons = KINDS.map(([kind, words]) => {
      const button = html("button", { type: "button" }, words);
      button.addEventListener("click", () => void this.#copy(kind));
      return button;
    });
    this.element = html(
      "div",
      { class: "copying" },
      html("div", { class: "buttons" }, ...buttons),
      this.#said,
      this.#text,
    );
  }

  /** Takes away what was copied of an earlier state. */
  clear(): void {
    this.#text.hidden = true;
    this.#said.textContent = "";
  }

  async #copy(kind: keyof Copies): Promise<void> {
    try {
      const copies = await this.copies();
      const text = copies[kind];
      if (text === null) this.#refuse(copies.refused ?? "There is no such copy of this scenario.");
      else await this.#give(text);
    } catch (error) {
      this.#refuse((error as Error).message);
    }
  }

  #refuse(why: string): void {
    this.#text.hidden = true;
    this.#said.textContent = why;
  }

  /** To the clipboard where a page may write to it; in any case to be seen and selected. */
  async #give(text: string): Promise<void> {
    this.#text.value = text;
    this.#text.hidden = false;
    this.#text.select();
    try {
      await navigator.clipboard.writeText(text);
      this.#said.textContent = "Copied.";
    } catch {
      this.#said.textContent = "Selected below; copy it with Ctrl+C.";
    }
  }
}
