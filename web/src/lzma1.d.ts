// What is used of the package, whose own types are its sources, which do not pass our checks.

/** Raises Error for what is no LZMA. */
export function decompress(packed: Uint8Array): Uint8Array | string;
