// The engine as the page carries it: base64 of WebAssembly, packed by LZMA.

import { worker } from "./engine";

/** The engine cannot run here; the message says why, in a sentence. */
export class UnavailableError extends Error {}

type Said = { module: WebAssembly.Module } | { died: string };

/** Unpacks and compiles the engine of this page, in a worker: that takes up to a second. */
export function compiled(): Promise<WebAssembly.Module> {
  const packed = document.getElementById("engine")?.textContent ?? "";
  if (typeof WebAssembly === "undefined") {
    const why = "This browser has no WebAssembly, so nothing can be changed here.";
    return Promise.reject(new UnavailableError(why));
  }
  return new Promise((resolve, reject) => {
    const fail = (why: unknown) =>
      reject(new UnavailableError(`This browser did not start the simulator: ${why}.`));
    try {
      const unpacker = worker();
      unpacker.onmessage = ({ data }: MessageEvent<Said>) => {
        unpacker.terminate();
        if ("module" in data) resolve(data.module);
        else fail(data.died);
      };
      unpacker.onerror = (event) => {
        event.preventDefault();
        fail(event.message ?? "no worker");
      };
      unpacker.onmessageerror = () => fail("the module did not arrive");
      unpacker.postMessage({ packed });
    } catch (error) {
      fail(error);
    }
  });
}
