// TypeIDs: a readable prefix and a UUIDv7 in Crockford base32. They sort by creation, and the
// UUID inside is the id of the job's queue message.
import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

let lastMs = 0;
let sequence = 0;

/** A UUIDv7 whose first random field counts up within a millisecond, so ids of one process sort. */
function uuidV7Bytes(nowMs: number): Buffer {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    sequence = 0;
  } else if (++sequence > 0xfff) {
    lastMs += 1;
    sequence = 0;
  }
  const bytes = randomBytes(16);
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes[6] = 0x70 | (sequence >> 8);
  bytes[7] = sequence & 0xff;
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes;
}

function toBase32(bytes: Buffer): string {
  let value = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = ALPHABET[Number(value & 31n)]! + text;
    value >>= 5n;
  }
  return text;
}

export function newId(prefix: string, nowMs: number = Date.now()): string {
  return `${prefix}_${toBase32(uuidV7Bytes(nowMs))}`;
}

/** `job_01h...` and `run_01h...` of one UUID: a job without a run of its own names its run so. */
export function withPrefix(id: string, prefix: string): string {
  return `${prefix}_${id.slice(id.lastIndexOf('_') + 1)}`;
}

export function uuidOf(id: string): string {
  let value = 0n;
  for (const char of id.slice(id.lastIndexOf('_') + 1)) {
    value = (value << 5n) | BigInt(ALPHABET.indexOf(char));
  }
  const hex = value.toString(16).padStart(32, '0');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

export function idFromUuid(prefix: string, uuid: string): string {
  return `${prefix}_${toBase32(Buffer.from(uuid.replaceAll('-', ''), 'hex'))}`;
}
