// Random tokens that let their holder in. Only their hash is stored.
import { createHmac, hash, randomBytes } from 'node:crypto';

const BYTES = 32;
const FORMAT = /^mill_([a-z]{2})_[A-Za-z0-9_-]{43}$/;

export const TOKEN_KINDS = {
  ss: 'a session, in its cookie',
  ln: 'a link that works once',
  dc: 'a sign-in of a command line that waits for approval',
  sh: 'a link to look at a run',
  dt: 'a command line that is signed in',
  st: 'the agent of a stream, for models alone',
  tg: 'a call of a trigger, or the signature of one',
  rq: 'a run that a runner makes because it was asked for',
} as const;
export type TokenKind = keyof typeof TOKEN_KINDS;

/** The kind is in front, so that scanners and people know what they have found. */
export function newSecretToken(kind: TokenKind): string {
  return `mill_${kind}_${randomBytes(BYTES).toString('base64url')}`;
}

/** Always the same for the same secret and text. */
export function derivedSecretToken(kind: TokenKind, secret: Buffer, text: string): string {
  const bytes = createHmac('sha256', secret).update(`token ${kind} ${text}`).digest();
  return `mill_${kind}_${bytes.toString('base64url')}`;
}

/** What does not look like one is refused without a look-up. */
export function isSecretToken(text: string, kind: TokenKind): boolean {
  return FORMAT.exec(text)?.[1] === kind;
}

export function hashSecretToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
