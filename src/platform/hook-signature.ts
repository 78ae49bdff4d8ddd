// Whether a call shows that its sender knows a secret. Everything is compared in constant time, over the bytes as they came.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export type SignatureCheck = 'good' | 'missing' | 'wrong' | 'stale';

/** Of the signed time, in both directions. */
export const SIGNED_FOR_S = 300;

const hashOf = (text: string) => createHash('sha256').update(text).digest();

/** Of any two texts, also of different length. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hashOf(a), hashOf(b));
}

/** A header that came twice is none. */
function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function checkGithub(
  headers: Headers,
  body: Buffer,
  secrets: readonly string[],
): SignatureCheck {
  const signature = headerOf(headers, 'x-hub-signature-256');
  if (signature === undefined) return 'missing';
  const good = secrets.filter((secret) => {
    const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    return isSameSecret(expected, signature);
  });
  return good.length > 0 ? 'good' : 'wrong';
}

/** Standard Webhooks where it is signed, else the token of before. */
export function checkGitlab(
  headers: Headers,
  body: Buffer,
  secrets: readonly string[],
  nowMs: number,
): SignatureCheck {
  const signature = headerOf(headers, 'webhook-signature');
  if (signature === undefined) {
    const token = headerOf(headers, 'x-gitlab-token');
    if (token === undefined) return 'missing';
    return secrets.filter((secret) => isSameSecret(secret, token)).length > 0 ? 'good' : 'wrong';
  }
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (id === undefined || timestamp === undefined) return 'missing';
  if (!/^\d{1,12}$/.test(timestamp)) return 'wrong';
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const given = signature.split(' ').slice(0, 10);
  const good = secrets.flatMap((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    return given.filter((one) => isSameSecret(expected, one));
  });
  if (good.length === 0) return 'wrong';
  return Math.abs(nowMs / 1000 - Number(timestamp)) <= SIGNED_FOR_S ? 'good' : 'stale';
}
