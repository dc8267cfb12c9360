// The states that were, as entries of the browser's history: undo is Back, redo is Forward.

import { isState, read, UnreadableError, written } from "./address";
import { isSame, START, type State } from "./state";

const RESTS_MS = 200;

interface Entry {
  /** How many states came before. */
  at: number;
}

interface Listener {
  /** Why a state of the address is none of this page, if so. */
  foreign(state: State): string | undefined;
  /** The state is another, by Back, Forward, or a typed address. */
  moved(state: State): void;
  /** The address cannot be read. */
  unreadable(why: string): void;
  /** It can now be undone or redone, or no longer. */
  turned(): void;
}

export class History {
  #state = START;
  #at = 0;
  #last = 0;
  /** What is being changed, so that a drag is one step. */
  #gesture: string | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** The writing that waits until a drag rests, as browsers bound how often it may be. */
  #later: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly listener: Listener) {
    addEventListener("popstate", ({ state }) => this.#moved(state));
  }

  get state(): State {
    return this.#state;
  }

  get canUndo(): boolean {
    return this.#at > 0;
  }

  get canRedo(): boolean {
    return this.#at < this.#last;
  }

  /** Reads the address that the page was opened with. */
  async begin(): Promise<void> {
    await this.#moved(history.state);
  }

  /** Changes the state. Changes of one `gesture` are one step, until it ends. */
  change(state: State, gesture?: string): void {
    if (isSame(state, this.#state)) return;
    const goesOn = gesture !== undefined && gesture === this.#gesture;
    this.#gesture = gesture;
    if (!goesOn) this.#settle();
    this.#state = state;
    if (goesOn) {
      clearTimeout(this.#later);
      this.#later = setTimeout(() => this.#settle(), RESTS_MS);
    } else {
      this.#last = ++this.#at;
      this.#write(true);
    }
    this.listener.turned();
  }

  /** Ends a gesture: the next change is a step of its own. */
  end(): void {
    this.#gesture = undefined;
    this.#settle();
  }

  undo(): void {
    if (this.canUndo) this.#travel(-1);
  }

  redo(): void {
    if (this.canRedo) this.#travel(1);
  }

  async #travel(by: number): Promise<void> {
    this.end();
    await this.#writing;
    history.go(by);
  }

  /** Writes what waits to be written. */
  #settle(): void {
    if (this.#later === undefined) return;
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#write(false);
  }

  /** Writes the address, one after another. */
  #write(pushed: boolean): void {
    const state = this.#state;
    const entry: Entry = { at: this.#at };
    this.#writing = this.#writing.then(async () => {
      // An empty hash would leave the old one.
      const address = (await written(state)) || location.href.split("#", 1)[0];
      try {
        if (pushed) history.pushState(entry, "", address);
        else history.replaceState(entry, "", address);
      } catch {
        // A browser may refuse many changes in a short time. The next one is written again.
      }
    });
  }

  async #moved(entry: Partial<Entry> | null): Promise<void> {
    const { hash } = location;
    this.end();
    try {
      const state = await read(hash);
      if (hash !== location.hash) return;
      const foreign = this.listener.foreign(state);
      if (foreign) throw new UnreadableError(foreign);
      this.#at = this.#numbered(entry);
      this.#last = Math.max(this.#last, this.#at);
      this.#state = state;
      this.listener.moved(state);
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      this.listener.unreadable(error.message);
    }
    this.listener.turned();
  }

  /** The number of an entry. One that was typed is the next. */
  #numbered(entry: Partial<Entry> | null): number {
    if (typeof entry?.at === "number") return entry.at;
    if (!isState(location.hash)) return 0;
    const at = isSame(this.#state, START) ? 0 : this.#at + 1;
    history.replaceState({ at } satisfies Entry, "");
    return at;
  }
}
