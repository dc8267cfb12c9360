// One worker with the engine. It keeps nothing between questions, so that stopping it is
// throwing it away.

import { type Answers, type Ask, type Refusal, RefusedError } from "./protocol";

/** The text of the worker's script. The build puts it in. */
declare const WORKER: string;

/** The question was given up. */
export class StoppedError extends Error {}

/** The worker ended without an answer. */
export class DiedError extends Error {
  constructor(why: string) {
    super(
      "The simulator ended without an answer, as it does when a scenario needs more memory " +
        `than a page may have (${why}). The command line has no such limit.`,
    );
  }
}

interface Waiting {
  question: string;
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

type Said = { answer: object } | { died: string };

export class Engine {
  #worker: Worker | undefined;
  #asked: Waiting | undefined;
  readonly #waiting: Waiting[] = [];

  constructor(readonly module: WebAssembly.Module) {}

  /** Rejects with RefusedError, StoppedError or DiedError. */
  ask<A extends Ask>(ask: A): Promise<Answers[A["ask"]]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question: written(ask), resolve, reject });
      this.#next();
    });
  }

  /** Gives up all questions. */
  stop(): void {
    if (!this.#asked) return;
    this.#end(new StoppedError("stopped"));
  }

  #next(): void {
    if (this.#asked || this.#waiting.length === 0) return;
    this.#asked = this.#waiting.shift();
    try {
      this.#worker ??= this.#started();
      this.#worker.postMessage({ question: this.#asked?.question });
    } catch (error) {
      this.#end(new DiedError(String(error)));
    }
  }

  #started(): Worker {
    const started = worker();
    started.onmessage = ({ data }: MessageEvent<Said>) => this.#heard(data);
    started.onerror = (event) => {
      event.preventDefault();
      this.#end(new DiedError(event.message ?? "no worker"));
    };
    started.onmessageerror = () => this.#end(new DiedError("an answer that cannot be read"));
    started.postMessage({ module: this.module });
    return started;
  }

  #heard(said: Said): void {
    if ("died" in said) {
      this.#end(new DiedError(said.died));
      return;
    }
    const { answer } = said;
    const asked = this.#asked;
    this.#asked = undefined;
    if ("error" in answer) asked?.reject(new RefusedError(answer.error as Refusal));
    else asked?.resolve(answer as never);
    this.#next();
  }

  /** Throws the worker away with all questions. The next question starts another one. */
  #end(error: Error): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    const given = [...(this.#asked ? [this.#asked] : []), ...this.#waiting.splice(0)];
    this.#asked = undefined;
    for (const { reject } of given) reject(error);
  }
}

/** A worker, from the script within this page. */
export function worker(): Worker {
  const address = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
  // A blob that is revoked at once is not found by every browser.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return new Worker(address);
}

/** A question as JSON; runs are JSON already. */
function written(ask: Ask): string {
  return ask.ask === "page" ? `{"ask":"page","runs":[${ask.runs.join(",")}]}` : JSON.stringify(ask);
}
