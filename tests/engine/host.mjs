// Hosts the module of pages for tests: a question as JSON in each line of standard input, its
// answer in a line of standard output.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const { input, run, output, memory } = instance.exports;

for await (const line of createInterface({ input: process.stdin })) {
  if (line === "memory") {
    console.log(memory.buffer.byteLength);
    continue;
  }
  const question = new TextEncoder().encode(line);
  const at = input(question.length);
  new Uint8Array(memory.buffer, at, question.length).set(question);
  const length = run();
  const answer = new Uint8Array(memory.buffer, output(), length);
  process.stdout.write(`${new TextDecoder().decode(answer)}\n`);
}
