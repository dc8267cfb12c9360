// The worker: one instance of the engine, which answers one question after another.
//
// It is built on its own and stands in the page's script as text. Another one unpacks the module,
// so that the page does not stand still meanwhile.

// Without the package's encoder, which would be a third of this script.
import { Decoder } from "../../node_modules/lzma1/lib/decoder.js";
import { InputBuffer, OutputBuffer } from "../../node_modules/lzma1/lib/streams.js";

interface Exports {
  memory: WebAssembly.Memory;
  input(length: number): number;
  run(): number;
  output(): number;
}

type Told = { packed: string } | { module: WebAssembly.Module } | { question: string };

const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<Told>) => void;
  postMessage(message: unknown): void;
};

let engine: Promise<Exports> | undefined;

scope.onmessage = async ({ data }) => {
  if ("packed" in data) {
    unpacked(data.packed).then(
      (module) => scope.postMessage({ module }),
      (error) => scope.postMessage({ died: String(error) }),
    );
    return;
  }
  if ("module" in data) {
    engine = WebAssembly.instantiate(data.module).then(
      ({ exports }) => exports as unknown as Exports,
    );
    // Said with the first answer.
    engine.catch(() => undefined);
    return;
  }
  try {
    if (!engine) throw new Error("no module");
    scope.postMessage({ answer: answered(await engine, data.question) });
  } catch (error) {
    scope.postMessage({ died: String(error) });
  }
};

/** The answer as an object, but a run as text: nobody here looks into it. */
function answered(engine: Exports, question: string): unknown {
  const bytes = new TextEncoder().encode(question);
  const start = engine.input(bytes.length) >>> 0;
  new Uint8Array(engine.memory.buffer, start, bytes.length).set(bytes);
  const length = engine.run() >>> 0;
  const said = new Uint8Array(engine.memory.buffer, engine.output() >>> 0, length);
  const answer = JSON.parse(new TextDecoder().decode(said));
  return "run" in answer ? { ...answer, run: JSON.stringify(answer.run) } : answer;
}

async function unpacked(base64: string): Promise<WebAssembly.Module> {
  const binary = atob(base64.trim());
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const found = new OutputBuffer(8 * bytes.length);
  new Decoder().decompress(new InputBuffer(bytes), found);
  return WebAssembly.compile(found.toArray());
}
