// TypeIDs: a readable prefix and a UUIDv7 in Crockford base32. They sort by creation.
import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

const VALUES = new Uint8Array(128);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

let lastMs = 0;
let sequence = 0;
let skewMs = 0;

/** A clock that was put back by more than this was wrong before: ids no longer continue from there. */
const PUT_BACK_MS = 60_000;

/** `ms`: how far the clock that all nodes share is ahead of this machine's. */
export function setIdSkew(ms: number): void {
  skewMs = Math.round(ms);
}

export function idSkew(): number {
  return skewMs;
}

/** The time that ids are made by, for whatever compares with the time of an id. */
export function idNow(): number {
  return Date.now() + skewMs;
}

// Asking the system for randomness costs the same for 16 bytes as for many.
let random = Buffer.alloc(0);
let taken = 0;

function nextRandom(): Buffer {
  if (taken >= random.length) {
    random = randomBytes(4096);
    taken = 0;
  }
  taken += 16;
  return random.subarray(taken - 16, taken);
}

/** A UUIDv7 whose first random field counts up within a millisecond, so ids of one process sort. */
function uuidV7Bytes(nowMs: number): Buffer {
  if (nowMs > lastMs || nowMs < lastMs - PUT_BACK_MS) {
    lastMs = nowMs;
    sequence = 0;
  } else if (++sequence > 0xfff) {
    lastMs += 1;
    sequence = 0;
  }
  const bytes = Buffer.from(nextRandom());
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes[6] = 0x70 | (sequence >> 8);
  bytes[7] = sequence & 0xff;
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes;
}

/** 128 bits as 26 characters: two bits that are always zero, then five bits a character. */
function toBase32(bytes: Buffer): string {
  let text = '';
  let bits = 2;
  let value = 0;
  for (let i = 0; i < 16; i++) {
    value = (value << 8) | bytes[i]!;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >>> bits) & 31]!;
    }
    value &= (1 << bits) - 1;
  }
  return text;
}

export function newId(prefix: string, nowMs: number = idNow()): string {
  return `${prefix}_${toBase32(uuidV7Bytes(nowMs))}`;
}

/** No id of that moment or of a later one comes before it. */
export function firstIdAt(prefix: string, at: Date): string {
  const bytes = Buffer.alloc(16);
  // Before 1970 there is no id: the first of all is the answer.
  bytes.writeUIntBE(Math.max(0, at.getTime()), 0, 6);
  return `${prefix}_${toBase32(bytes)}`;
}

/** The characters that hold the time: 48 bits after two that are always zero. */
const TIME_CHARACTERS = 10;

/** When the id was made, by the clock that made it; undefined for what is no id of ours. */
export function timeOfId(id: string): Date | undefined {
  const text = id.slice(id.lastIndexOf('_') + 1);
  if (!/^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text)) return undefined;
  let ms = 0;
  for (let i = 0; i < TIME_CHARACTERS; i++) ms = ms * 32 + VALUES[text.charCodeAt(i)]!;
  return new Date(ms);
}

/** `job_01h...` and `run_01h...` of one UUID: a job without a run of its own names its run so. */
export function withPrefix(id: string, prefix: string): string {
  return `${prefix}_${id.slice(id.lastIndexOf('_') + 1)}`;
}
