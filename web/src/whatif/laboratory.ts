// Simulates what is asked for, and remembers the last runs.

import { Engine } from "./engine";
import { Pace } from "./pace";
import type { Ask, Copies, Edited, Look, Plan, Report, Simulated } from "./protocol";

// A run has up to some megabytes.
const KEPT = 12;

export interface Wanted extends Edited {
  /** Stop after so many seconds; null for all. */
  until_s: number | null;
  advice: boolean;
}

export class Laboratory {
  readonly pace = new Pace();
  readonly #kept = new Map<string, Simulated>();
  /** Runs have a worker of their own, so that they can be stopped without anything else. */
  readonly #runner: Engine;
  readonly #desk: Engine;

  constructor(module: WebAssembly.Module) {
    this.#runner = new Engine(module);
    this.#desk = new Engine(module);
  }

  look({ text, sets }: Edited): Promise<Look> {
    return this.#desk.ask({ ask: "look", text, sets });
  }

  copies({ text, sets }: Edited): Promise<Copies> {
    return this.#desk.ask({ ask: "copy", text, sets });
  }

  plan(text: string): Promise<Plan> {
    return this.#runner.ask({ ask: "plan", text });
  }

  /** What is to be said of a run, or of two beside each other. */
  report(...runs: Simulated[]): Promise<Report> {
    return this.#desk.ask({ ask: "page", runs: runs.map(({ run }) => run) });
  }

  /** A run; `seconds` is how long all of it is. */
  async run(wanted: Wanted, seconds?: number): Promise<Simulated> {
    const ask: Ask & { ask: "run" } = { ask: "run", ...wanted, seeds: null };
    const key = JSON.stringify(ask);
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const started = performance.now();
    const made = await this.#runner.ask(ask);
    this.pace.saw(made.ios, wanted.until_s ?? seconds, (performance.now() - started) / 1e3);
    this.#kept.set(key, made);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT) this.#kept.delete(oldest);
    return made;
  }

  /** Stops what is being simulated. */
  stop(): void {
    this.#runner.stop();
  }
}
