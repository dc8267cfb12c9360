// How much of a run can be simulated while somebody waits.

// What to reckon with until this page has seen a run of its own.
const IOS_PER_S = 1_500_000;
const IOPS = 100_000;

// Of the 300 ms in which there shall be an answer, those for simulating one of two runs.
const SHARE_S = 0.1;

// Few lengths, so that the run before the change is often there already.
const LENGTHS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600];

// Runs with fewer IOs say little about the speed.
const ENOUGH = 20_000;

export class Pace {
  /** IOs that are simulated in a second of this machine. */
  #speed = IOS_PER_S;
  /** IOs of a second of the scenario. */
  #iops = IOPS;
  /** The scenario's text that this is known of. */
  #of = "";

  /** Learns from a run of so many seconds, which took so long. */
  saw(ios: number, seconds: number | undefined, took_s: number): void {
    if (ios >= ENOUGH && took_s > 0) this.#speed = ios / took_s;
    if (seconds) this.#iops = Math.max(1, ios / seconds);
  }

  /** The seconds of a first answer to a scenario with this text, before its changes. */
  first(text: string): number {
    if (text !== this.#of) this.#iops = IOPS;
    this.#of = text;
    const affordable = (SHARE_S * this.#speed) / this.#iops;
    return LENGTHS.findLast((length) => length <= affordable) ?? LENGTHS[0];
  }

  /** How long all of a run takes. */
  whole(seconds: number): number {
    return (seconds * this.#iops) / this.#speed;
  }
}
