import { expect, it } from 'vitest';
import { maskKey } from '../../src/domain/access/key-mask.ts';
import { verifies } from '../support/verifies.ts';

it.each([
  ['sk-ant-api03-abcdefghijkl9f2c', 'sk-ant-...9f2c'],
  ['sk-proj-abcdefghijklmnop1234', 'sk-proj-...1234'],
  ['sk-abcdefghijklmnopqrst5678', 'sk-...5678'],
  ['sk-or-v1-abcdefghijklmnop90ab', 'sk-or-...90ab'],
  ['AIzaSyAbcdefghijklmnopcdef', 'AIza...cdef'],
])('the key %s shows as %s', (key, masked) => {
  verifies('provider-keys.masked');
  expect(maskKey(key)).toBe(masked);
});

it('a key without a prefix that is known shows its first three characters', () => {
  verifies('provider-keys.mask.short');
  expect(maskKey('gsk_abcdefghijklmnop')).toBe('gsk...mnop');
  expect(maskKey('0123456789ab')).toBe('012...89ab');
});

it('of a key so short that the rest could be guessed, less is shown', () => {
  for (const key of ['12345678', 'AIza1234', 'sk-ant-12', 'sk-proj-12345']) {
    const shown = maskKey(key).replace('...', '');
    expect(key.length - shown.length).toBeGreaterThanOrEqual(4);
  }
});
