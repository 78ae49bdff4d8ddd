// Secrets at rest. Each record has a random data key that encrypts it; the data key is wrapped by a
// master key that is named in the record, so that changing the master key means wrapping data keys
// again, not encrypting everything anew. What the record belongs to is bound to it: a ciphertext
// that is moved to another owner's row does not open.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
// Always given: without it Node accepts tags as short as four bytes.
const TAG_BYTES = 16;

export interface MasterKey {
  id: string;
  key: Buffer;
}

export interface MasterKeys {
  active(): MasterKey;
  find(id: string): MasterKey | undefined;
}

/** What a secret belongs to, for example `['provider-key', userId, provider]`. */
export type Binding = readonly string[];

export class SealError extends Error {
  readonly masterKeyId: string | undefined;

  constructor(message: string, masterKeyId?: string) {
    super(message);
    this.name = 'SealError';
    this.masterKeyId = masterKeyId;
  }
}

/** Undefined for a secret that does not open; `onFailure` gets the reason. */
export function ifItOpens<T>(work: () => T, onFailure?: (error: SealError) => void): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    onFailure?.(error);
    return undefined;
  }
}

/** Each part with its length in front: `['ab', 'c']` and `['a', 'bc']` must differ. */
function boundBytes(parts: readonly string[]): Buffer {
  const chunks: Buffer[] = [];
  for (const part of parts) {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    chunks.push(length, bytes);
  }
  return Buffer.concat(chunks);
}

function encrypt(key: Buffer, plain: Buffer, bound: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(bound);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, sealed: Buffer, bound: Buffer): Buffer {
  if (sealed.length < IV_BYTES + TAG_BYTES) throw new SealError('A sealed secret is cut short');
  const iv = sealed.subarray(0, IV_BYTES);
  const tag = sealed.subarray(sealed.length - TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(bound);
  decipher.setAuthTag(tag);
  try {
    const body = sealed.subarray(IV_BYTES, sealed.length - TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    // The cause says nothing that helps, and must not say anything about the content.
    throw new SealError('A sealed secret does not open: it was changed, or belongs elsewhere');
  }
}

interface Parts {
  masterKeyId: string;
  wrapped: Buffer;
  body: Buffer;
}

function split(sealed: string): Parts {
  const [version, masterKeyId, wrapped, body, ...rest] = sealed.split('.');
  if (version !== VERSION || !masterKeyId || !wrapped || !body || rest.length > 0) {
    throw new SealError('A sealed secret has an unknown form');
  }
  const bytes = (text: string) => {
    const decoded = Buffer.from(text, 'base64url');
    // Otherwise characters that the decoder skips could be changed unnoticed.
    if (decoded.toString('base64url') !== text) throw new SealError('A sealed secret is damaged');
    return decoded;
  };
  return { masterKeyId, wrapped: bytes(wrapped), body: bytes(body) };
}

function join({ masterKeyId, wrapped, body }: Parts): string {
  return [VERSION, masterKeyId, wrapped.toString('base64url'), body.toString('base64url')].join(
    '.',
  );
}

// The master key's id is bound to the wrapping only: wrapping again leaves the body untouched.
const wrapBinding = (binding: Binding, masterKeyId: string) =>
  boundBytes(['wrap', masterKeyId, ...binding]);
const bodyBinding = (binding: Binding) => boundBytes(['body', ...binding]);

function masterKeyOf(keys: MasterKeys, id: string): MasterKey {
  const found = keys.find(id);
  if (found) return found;
  throw new SealError(`The master key "${id}" is not available`, id);
}

export function seal(keys: MasterKeys, secret: string, binding: Binding): string {
  const master = keys.active();
  const dataKey = randomBytes(32);
  return join({
    masterKeyId: master.id,
    wrapped: encrypt(master.key, dataKey, wrapBinding(binding, master.id)),
    body: encrypt(dataKey, Buffer.from(secret), bodyBinding(binding)),
  });
}

export function open(keys: MasterKeys, sealed: string, binding: Binding): string {
  const { masterKeyId, wrapped, body } = split(sealed);
  const master = masterKeyOf(keys, masterKeyId);
  const dataKey = decrypt(master.key, wrapped, wrapBinding(binding, masterKeyId));
  return decrypt(dataKey, body, bodyBinding(binding)).toString();
}

/** The same secret under the active master key; unchanged when it is under it already. */
export function rewrap(keys: MasterKeys, sealed: string, binding: Binding): string {
  const parts = split(sealed);
  const active = keys.active();
  if (parts.masterKeyId === active.id) return sealed;
  const master = masterKeyOf(keys, parts.masterKeyId);
  const dataKey = decrypt(master.key, parts.wrapped, wrapBinding(binding, parts.masterKeyId));
  const wrapped = encrypt(active.key, dataKey, wrapBinding(binding, active.id));
  return join({ masterKeyId: active.id, wrapped, body: parts.body });
}

export function masterKeyIdOf(sealed: string): string {
  return split(sealed).masterKeyId;
}
