// Some vendors quote the key that they were sent, in errors above all. It never reaches the caller.

export interface Mask {
  /** The bytes with the key hidden. What may be its beginning is held back until more has come. */
  push(chunk: Uint8Array): Uint8Array;
  /** What was held back. */
  end(): Uint8Array;
  text(value: string): string;
  /** Whether the key has been there. */
  hasFound(): boolean;
}

const NOTHING = new Uint8Array(0);

/** Too short to be a key; hiding it would spoil half of an answer. */
const SHORTEST = 8;

/** As many characters, so that nothing moves. */
const hidden = (length: number) => '*'.repeat(length);

/** How many of the last bytes could be the beginning of the key. */
function beginningAtEnd(bytes: Buffer, key: Buffer): number {
  for (let length = Math.min(key.length - 1, bytes.length); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(key.subarray(0, length))) return length;
  }
  return 0;
}

export function createMask(key: string | undefined): Mask {
  if (key === undefined || key.length < SHORTEST) {
    return {
      push: (chunk) => chunk,
      end: () => NOTHING,
      text: (value) => value,
      hasFound: () => false,
    };
  }
  const secret = Buffer.from(key);
  const stars = Buffer.from(hidden(secret.length));
  let held: Uint8Array = NOTHING;
  let isFound = false;
  return {
    push(chunk) {
      let bytes =
        held.length === 0
          ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
          : Buffer.concat([held, chunk]);
      let at = bytes.indexOf(secret);
      if (at >= 0) {
        isFound = true;
        bytes = Buffer.from(bytes);
        for (; at >= 0; at = bytes.indexOf(secret, at + stars.length)) stars.copy(bytes, at);
      }
      const kept = beginningAtEnd(bytes, secret);
      held = kept === 0 ? NOTHING : Uint8Array.from(bytes.subarray(bytes.length - kept));
      return bytes.subarray(0, bytes.length - kept);
    },
    end() {
      const rest = held;
      held = NOTHING;
      return rest;
    },
    text: (value) => value.replaceAll(key, hidden(key.length)),
    hasFound: () => isFound,
  };
}
