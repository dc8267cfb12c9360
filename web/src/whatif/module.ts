// The engine as the page carries it: base64 of gzipped WebAssembly.

/** The engine cannot run here; the message says why, in a sentence. */
export class UnavailableError extends Error {}

/** Unpacks and compiles the engine of this page. */
export async function compiled(): Promise<WebAssembly.Module> {
  const text = document.getElementById("engine")?.textContent ?? "";
  if (typeof WebAssembly === "undefined") {
    throw new UnavailableError("This browser has no WebAssembly, so nothing can be changed here.");
  }
  if (typeof DecompressionStream === "undefined") {
    throw new UnavailableError(
      "This browser cannot unpack the simulator (no DecompressionStream); a newer one can.",
    );
  }
  try {
    return await WebAssembly.compile(await unpacked(text));
  } catch (error) {
    throw new UnavailableError(`This browser did not start the simulator: ${error}.`);
  }
}

async function unpacked(base64: string): Promise<ArrayBuffer> {
  const binary = atob(base64.trim());
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
