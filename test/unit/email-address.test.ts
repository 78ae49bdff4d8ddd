// The one form of an email address.
import { expect, it } from 'vitest';
import { emailKey, isSameEmail, normalEmail } from '../../src/contract/email-address.ts';

it.each([
  ['Jane@Example.COM', 'Jane@example.com'],
  ["o'neil+tag@example.com", "o'neil+tag@example.com"],
  ['stra\u00dfe@example.com', 'stra\u00dfe@example.com'],
  ['\u00c9ve@example.com', '\u00e9ve@example.com'],
  ['e\u0301ve@example.com', '\u00e9ve@example.com'],
  ['a@M\u00fcnchen.example.com', 'a@xn--mnchen-3ya.example.com'],
  ['root@m\u0130ll.test', 'root@xn--mill-rwc.test'],
])('%j is %j, and stays so', (text, normal) => {
  expect(normalEmail(text)).toBe(normal);
  expect(normalEmail(normal)).toBe(normal);
  expect(emailKey(text)).toBe(emailKey(normal));
});

it.each([
  ['a dotted capital I', 'm\u0130ll@example.com'],
  ['the Kelvin sign', '\u212aate@example.com'],
  ['a long s', '\u017fam@example.com'],
  ['a letter of full width', '\uff41nn@example.com'],
  ['a ligature', 'o\ufb03ce@example.com'],
  ['a zero-width space', 'ro\u200bot@example.com'],
  ['a soft hyphen in the domain', 'root@exam\u00adple.com'],
  ['a change of direction', 'root@example\u202e.com'],
  ['a separator of mail headers', 'a,b@example.com'],
  ['a domain literal', 'a@[192.0.2.1]'],
  ['a dot at the end', 'a@example.com.'],
  ['half a surrogate', 'a\ud800@example.com'],
  ['nothing before the @', '@example.com'],
  ['no @', 'example.com'],
])('an address with %s is refused, and is the same as no other', (_, text) => {
  expect(normalEmail(text)).toBeUndefined();
  expect(isSameEmail(text, text)).toBe(true);
  for (const other of ['mill', 'kate', 'sam', 'ann', 'office', 'root', 'a', 'ab']) {
    expect(isSameEmail(text, `${other}@example.com`)).toBe(false);
  }
});
