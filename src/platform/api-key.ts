// API keys: prefix, 32 random base62 characters, 6 characters of checksum. The checksum refuses a
// mistyped or invented key without asking the database, and lets scanners find leaked keys.
import { createHmac, hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'mill_sk_';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORMAT = /^mill_sk_[0-9A-Za-z]{38}$/;

function checksum(text: string): string {
  let value = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = BASE62[value % 62]! + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

export function newApiKey(): string {
  let body = PREFIX;
  for (let i = 0; i < 32; i++) body += BASE62[randomInt(62)]!;
  return body + checksum(body);
}

/**
 * Always the same key for the same secret and texts: what was answered to a request can be answered again
 * without having been stored.
 */
export function derivedApiKey(secret: Buffer, ...texts: readonly string[]): string {
  const context = JSON.stringify(['api-key', ...texts]);
  let body = PREFIX;
  for (let block = 0; body.length < PREFIX.length + 32; block++) {
    const bytes = createHmac('sha512', secret).update(`${block} ${context}`).digest();
    for (const byte of bytes) {
      // Bytes above are left out, or the first letters of the alphabet would come more often.
      if (byte < 248 && body.length < PREFIX.length + 32) body += BASE62[byte % 62]!;
    }
  }
  return body + checksum(body);
}

export function isWellFormedApiKey(key: string): boolean {
  return FORMAT.test(key) && checksum(key.slice(0, -6)) === key.slice(-6);
}

export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** What lists show of a key: enough to recognise it, too little to use it. */
export function apiKeyHint(key: string): string {
  return `${key.slice(0, PREFIX.length + 4)}...${key.slice(-4)}`;
}
