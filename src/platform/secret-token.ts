// Random tokens that let somebody in: of a session, in its cookie, and of a link that works once. Only
// their hash is stored.
import { createHmac, hash, randomBytes } from 'node:crypto';

const BYTES = 32;
const FORMAT = /^mill_(?:ss|ln)_[A-Za-z0-9_-]{43}$/;

/** The kind is in front, so that scanners and people know what they have found. */
export function newSecretToken(kind: 'ss' | 'ln'): string {
  return `mill_${kind}_${randomBytes(BYTES).toString('base64url')}`;
}

/** Always the same for the same secret and text. */
export function derivedSecretToken(kind: 'ss' | 'ln', secret: Buffer, text: string): string {
  const bytes = createHmac('sha256', secret).update(`token ${kind} ${text}`).digest();
  return `mill_${kind}_${bytes.toString('base64url')}`;
}

/** What does not look like one is refused without a look-up. */
export function isSecretToken(text: string): boolean {
  return FORMAT.test(text);
}

export function hashSecretToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
