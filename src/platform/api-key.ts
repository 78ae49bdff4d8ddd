// API keys: prefix, 32 random base62 characters, 6 characters of checksum. The checksum refuses a
// mistyped or invented key without asking the database, and lets scanners find leaked keys.
import { hash, randomInt } from 'node:crypto';
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
