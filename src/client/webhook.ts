// Checks that a webhook came from the service: Standard Webhooks signatures, in Node and browsers.

export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
  }
}

export interface WebhookToVerify {
  /** The body exactly as it arrived: parsing and printing it again breaks the signature. */
  body: string;
  headers: Headers | Record<string, string | string[] | undefined>;
  /** One secret, or both while one is being rotated. */
  secret: string | readonly string[];
  /** How old or how far in the future a message may be. */
  toleranceSeconds?: number;
  now?: () => number;
}

const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';

function headerOf(headers: WebhookToVerify['headers'], name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name) return Array.isArray(value) ? value.join(' ') : (value ?? '');
  }
  return '';
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

async function keyOf(secret: string) {
  const raw = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = bytesOfBase64(raw);
  } catch {
    throw new WebhookVerificationError('The secret is not one of the service (whsec_...)');
  }
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
}

function givenSignatures(header: string): Uint8Array<ArrayBuffer>[] {
  const signatures: Uint8Array<ArrayBuffer>[] = [];
  for (const part of header.split(/\s+/)) {
    const [version, text] = part.split(',', 2);
    if (version !== 'v1' || text === undefined) continue;
    try {
      signatures.push(bytesOfBase64(text));
    } catch {
      // Not a signature; another one may be.
    }
  }
  return signatures;
}

/** The parsed body when the message is genuine and fresh; throws WebhookVerificationError else. */
export async function verifyWebhook<T = unknown>(webhook: WebhookToVerify): Promise<T> {
  const id = headerOf(webhook.headers, 'webhook-id');
  const timestamp = headerOf(webhook.headers, 'webhook-timestamp');
  const header = headerOf(webhook.headers, 'webhook-signature');
  if (id === '' || timestamp === '' || header === '') {
    throw new WebhookVerificationError('The webhook headers are missing');
  }
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('The webhook timestamp is not a number');
  }
  const nowSeconds = (webhook.now ?? Date.now)() / 1000;
  if (Math.abs(nowSeconds - Number(timestamp)) > (webhook.toleranceSeconds ?? TOLERANCE_SECONDS)) {
    throw new WebhookVerificationError('The webhook is too old, or a clock is wrong');
  }
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${webhook.body}`);
  const given = givenSignatures(header);
  for (const secret of [webhook.secret].flat()) {
    const key = await keyOf(secret);
    for (const signature of given) {
      // Takes the same time whatever the first bytes are.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) {
        return JSON.parse(webhook.body) as T;
      }
    }
  }
  throw new WebhookVerificationError('The webhook signature does not match');
}
