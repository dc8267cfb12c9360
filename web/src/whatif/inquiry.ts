// Answers a state: first what can be changed, then a short run, then all of it. A change while
// it does so stops the whole run, and is answered next.

import { StoppedError } from "./engine";
import type { Laboratory } from "./laboratory";
import { type Look, type Plan, RefusedError, type Report } from "./protocol";
import { edited, isUnchanged, requirementOf, type State } from "./state";

/** A state with the text of its scenario before all changes. */
export interface Question {
  state: State;
  base: string;
}

export interface Progress {
  /** The seconds simulated, where that is not all. */
  first: number | undefined;
  /** How long all of it is, where that is known. */
  whole: number | undefined;
  /** Whether more follows. */
  goesOn: boolean;
}

export interface Audience {
  /** `before` is what there is without changes. */
  looked(question: Question, look: Look, before: Look): void;
  /** Whether an unchanged scenario needs no answer, as the page has one. */
  hasOwn(question: Question): boolean;
  own(question: Question): void;
  simulating(question: Question, whole: number | undefined): void;
  planning(question: Question): void;
  planned(question: Question, plan: Plan): void;
  answered(question: Question, report: Report, progress: Progress): void;
  refused(question: Question, error: RefusedError): void;
  /** There is no answer: stopped by the reader, or by its end. */
  failed(question: Question, error: Error): void;
}

export class Inquiry {
  #wanted: Question | undefined;
  #going: Question | undefined;
  #simulatesAll = false;
  #known: { base: string; look: Look } | undefined;

  constructor(
    readonly laboratory: Laboratory,
    readonly audience: Audience,
  ) {}

  ask(question: Question): void {
    this.#wanted = question;
    if (this.#simulatesAll) this.laboratory.stop();
    if (!this.#going) void this.#goOn();
  }

  /** Stops the whole run, and stays with what there is. */
  stop(): void {
    if (this.#going && !this.#wanted) this.laboratory.stop();
  }

  async #goOn(): Promise<void> {
    while (this.#wanted) {
      const question = this.#wanted;
      this.#wanted = undefined;
      this.#going = question;
      try {
        await this.#answer(question);
      } catch (error) {
        this.#ended(question, error);
      }
      this.#simulatesAll = false;
      this.#going = undefined;
    }
  }

  #ended(question: Question, error: unknown): void {
    if (error instanceof StoppedError && this.#wanted) return;
    if (error instanceof RefusedError) this.audience.refused(question, error);
    else this.audience.failed(question, error as Error);
  }

  async #answer(question: Question): Promise<void> {
    const { audience } = this;
    const requirement = requirementOf(question.state);
    if (requirement !== null) {
      audience.planning(question);
      this.#simulatesAll = true;
      audience.planned(question, await this.laboratory.plan(requirement));
      return;
    }
    const before = await this.#before(question.base);
    const look = await this.laboratory.look(edited(question.state, question.base));
    audience.looked(question, look, before);
    if (this.#wanted) return;
    const whole = look.duration_s;
    if (look.yaml === before.yaml && audience.hasOwn(question)) {
      audience.own(question);
      await this.#warmUp(question, whole);
      return;
    }
    audience.simulating(question, whole);
    const first = this.laboratory.pace.first(edited(question.state, question.base).text);
    if (whole === undefined || first < whole) {
      const report = await this.#report(question, first, whole);
      audience.answered(question, report, { first, whole, goesOn: true });
      if (this.#wanted) return;
    }
    this.#simulatesAll = true;
    const report = await this.#report(question, null, whole);
    audience.answered(question, report, { first: undefined, whole, goesOn: false });
  }

  /** A scenario without changes, looked at once. */
  async #before(base: string): Promise<Look> {
    if (this.#known?.base !== base) {
      this.#known = { base, look: await this.laboratory.look({ text: base, sets: [] }) };
    }
    return this.#known.look;
  }

  /** Simulates what the first change will be compared with, and learns how fast that is. */
  async #warmUp({ base }: Question, whole?: number): Promise<void> {
    const until_s = this.laboratory.pace.first(base);
    if (whole !== undefined && until_s >= whole) return;
    await this.laboratory
      .run({ text: base, sets: [], until_s, advice: false }, whole)
      .catch(() => undefined);
  }

  /** The scenario as it was beside as it is, both for so many seconds. */
  async #report({ state, base }: Question, until_s: number | null, whole?: number) {
    const { laboratory } = this;
    const after = { ...edited(state, base), until_s, advice: until_s === null };
    if (isUnchanged(state)) return laboratory.report(await laboratory.run(after, whole));
    const before = await laboratory.run({ text: base, sets: [], until_s, advice: false }, whole);
    return laboratory.report(before, await laboratory.run(after, whole));
  }
}
