// The one form of an email address. Two texts are the same address exactly when their keys are equal, and
// nothing but this file decides that: lower case differs between databases, and some letters become others in it.

const LONGEST_LOCAL = 64;
const LONGEST_DOMAIN = 190;

/** Nobody sees them, or they change the order in which the rest is read. */
const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
/** Unquoted, they mean something else in the header of a mail. */
const SPECIAL = /[()<>[\]:;,\\"@]/;
const ASCII = /\p{ASCII}/u;
const NOT_ASCII = /\P{ASCII}/u;
const DOMAIN = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const SHAPE = /^[^\s@]{1,64}@[^\s@]{1,190}$/;

/** The same whatever the locale: letters outside of ASCII stay as they are. */
function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * Letters that become plain ones when their case or width is changed, as the Kelvin sign becomes k: with them, an
 * address could be taken for that of another person.
 */
function passesForAscii(letter: string): boolean {
  if (!NOT_ASCII.test(letter)) return false;
  return [letter.normalize('NFKC'), letter.toLowerCase()].some((other) => ASCII.test(other));
}

function normalLocal(text: string): string | undefined {
  if (text === '' || text.length > LONGEST_LOCAL || SPECIAL.test(text)) return undefined;
  if (!NOT_ASCII.test(text)) return text;
  if (Array.from(text).some(passesForAscii)) return undefined;
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

/** As it is asked for in the DNS. */
function normalDomain(text: string): string | undefined {
  if (text.length > LONGEST_DOMAIN) return undefined;
  if (!NOT_ASCII.test(text)) {
    const lower = lowerAscii(text);
    return DOMAIN.test(lower) ? lower : undefined;
  }
  // What a URL would read as something other than a name.
  if (/[:/?#[\]\\%@]/.test(text)) return undefined;
  const host = URL.parse(`http://${text}`)?.hostname ?? '';
  return DOMAIN.test(host) && host.length <= LONGEST_DOMAIN ? host : undefined;
}

/**
 * As it is stored, shown and mailed to; undefined for what may not be the address of an account. Capital letters of
 * ASCII stay before the @, because people like to see their name as they write it.
 */
export function normalEmail(text: string): string | undefined {
  if (!text.isWellFormed() || INVISIBLE.test(text)) return undefined;
  const at = text.lastIndexOf('@');
  const local = at < 0 ? undefined : normalLocal(text.slice(0, at));
  const domain = at < 0 ? undefined : normalDomain(text.slice(at + 1));
  return local === undefined || domain === undefined ? undefined : `${local}@${domain}`;
}

/** What addresses are compared by. What may not be an address has a key too, which is that of no address. */
export function emailKey(text: string): string {
  return lowerAscii(normalEmail(text) ?? text);
}

export function isSameEmail(one: string, other: string): boolean {
  return emailKey(one) === emailKey(other);
}

/** Looks like one. Enough to look an account up; a new one needs `normalEmail`. */
export function looksLikeEmail(text: string): boolean {
  return SHAPE.test(text) && text.isWellFormed() && !/\p{Cc}/u.test(text);
}
