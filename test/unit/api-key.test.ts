import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  apiKeyHint,
  hashApiKey,
  isWellFormedApiKey,
  newApiKey,
} from '../../src/platform/api-key.ts';
import { verifies } from '../support/verifies.ts';

const BASE62 = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');

/** CRC-32 as everybody defines it, written down once more. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

describe('an API key', () => {
  it('is the prefix, 32 random characters and the checksum of both', () => {
    verifies('auth.api-key.shape', 'auth.api-key.prefix');
    for (let i = 0; i < 200; i++) {
      const key = newApiKey();
      expect(key).toMatch(/^mill_sk_[0-9A-Za-z]{38}$/);
      const checksum = Array.from(key.slice(-6)).reduce(
        (sum, c) => sum * 62 + BASE62.indexOf(c),
        0,
      );
      expect(checksum).toBe(crc32(key.slice(0, -6)));
      expect(isWellFormedApiKey(key)).toBe(true);
    }
  });

  it('is never made twice', () => {
    expect(new Set(Array.from({ length: 5000 }, newApiKey)).size).toBe(5000);
  });

  it('is told from random strings of the same shape', () => {
    verifies('auth.api-key.checksum');
    const bodies = fc.array(fc.constantFrom(...BASE62), { minLength: 38, maxLength: 38 });
    const samples = fc.sample(bodies, 20_000).map((body) => `mill_sk_${body.join('')}`);
    expect(samples.filter(isWellFormedApiKey)).toEqual([]);
  });

  it('is told from any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        expect(isWellFormedApiKey(text)).toBe(false);
        expect(isWellFormedApiKey(`mill_sk_${text}`)).toBe(false);
      }),
    );
  });

  it('does not survive a change of one character, a swap, or anything around it', () => {
    const key = newApiKey();
    for (let at = 0; at < key.length; at++) {
      for (const other of ['0', 'z', 'Q', ' ', '\n']) {
        if (other === key[at]) continue;
        expect(isWellFormedApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
      }
      const swapped = key.slice(0, at) + (key[at + 1] ?? '') + key[at]! + key.slice(at + 2);
      if (swapped !== key) expect(isWellFormedApiKey(swapped)).toBe(false);
    }
    for (const odd of [` ${key}`, `${key} `, `${key}\n`, key + key, '', key.toLowerCase()]) {
      expect(isWellFormedApiKey(odd)).toBe(false);
    }
  });

  it('is stored as its SHA-256 and shown as a hint that does not give it away', () => {
    verifies('auth.api-key.hashed');
    const key = newApiKey();
    expect(hashApiKey(key)).toEqual(createHash('sha256').update(key).digest());
    const hint = apiKeyHint(key);
    expect(hint).toBe(`${key.slice(0, 12)}...${key.slice(-4)}`);
    expect(isWellFormedApiKey(hint)).toBe(false);
  });
});
