// The state as the part of the address after `#`, so that a link is a reproducible run.
//
// Whoever made a link may mean harm, or may have cut it off: what is read has bounds, and is
// only ever text.

import { START, type State } from "./state";

const MOST_LETTERS = 200_000;
const MOST_SETS = 200;
const MOST_TEXT = 1_000_000;

const TEXTS = ["plan", "base", "yaml"] as const;

/** The address says what cannot be read. */
export class UnreadableError extends Error {}

/** Whether this is a state, and no place in the page. */
export function isState(hash: string): boolean {
  return hash.includes("=");
}

/** The state as a hash; empty for the start. */
export async function written({ of, plan, base, text, sets }: State): Promise<string> {
  const found = new URLSearchParams();
  if (of) found.append("of", of);
  for (const set of sets) found.append("set", set);
  for (const [name, value] of [
    ["plan", plan],
    ["base", base],
    ["yaml", text],
  ] as const) {
    if (value !== null) found.append(name, await packed(value));
  }
  const said = found.toString();
  return said ? `#${said}` : "";
}

/** Rejects with UnreadableError. */
export async function read(hash: string): Promise<State> {
  if (!isState(hash)) return START;
  if (hash.length > MOST_LETTERS) throw new UnreadableError("it is too long");
  const said = new URLSearchParams(hash.slice(1));
  for (const name of said.keys()) {
    if (!["of", "set", ...TEXTS].includes(name)) {
      throw new UnreadableError(`\`${name.slice(0, 40)}\` is unknown`);
    }
  }
  const sets = said.getAll("set");
  if (sets.length > MOST_SETS) throw new UnreadableError("it has too many changes");
  const odd = sets.find((set) => set.indexOf("=") < 1);
  if (odd !== undefined) {
    throw new UnreadableError(`\`${odd.slice(0, 40)}\` is no change; expected path=value`);
  }
  const texts = TEXTS.map((name) => said.get(name));
  const [plan, base, text] = await Promise.all(
    texts.map((it) => (it === null ? null : opened(it))),
  );
  return { of: said.get("of") ?? "", plan, base, text, sets };
}

async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function opened(letters: string): Promise<string> {
  try {
    const binary = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return await bounded(stream);
  } catch {
    throw new UnreadableError("its text is damaged");
  }
}

/** The text of a stream, which may be far longer than what it was packed into. */
async function bounded(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = stream.getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > MOST_TEXT) {
      await reader.cancel();
      throw new Error("too long");
    }
  }
}
