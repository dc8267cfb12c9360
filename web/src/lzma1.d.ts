// What is used of the package, whose own types are its sources, which do not pass our checks.

declare module "*/lzma1/lib/streams.js" {
  export class InputBuffer {
    constructor(bytes: Uint8Array);
  }
  export class OutputBuffer {
    constructor(capacity: number);
    toArray(): Uint8Array<ArrayBuffer>;
  }
}

declare module "*/lzma1/lib/decoder.js" {
  import type { InputBuffer, OutputBuffer } from "*/lzma1/lib/streams.js";
  export class Decoder {
    /** Throws Error for what is no LZMA. */
    decompress(packed: InputBuffer, found: OutputBuffer): void;
  }
}
