// The master keys: from the environment, or from a file that is made at the first start. The file
// is never part of a backup of the database: who has both has everything.
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { MasterKey, MasterKeys } from './envelope.ts';
import { lockFile } from './file-lock.ts';
import { dataFolder, makeFolder, withFolder } from './make-folder.ts';

export const KEYRING_FILE = 'master-keys.json';
const KEY_BYTES = 32;
/** Writing takes milliseconds, unless the process that writes stands still. */
const LOCK_WAIT_MS = 60_000;

export class KeyringError extends Error {
  readonly code = 'CONFIG_INVALID';
  readonly hint = 'See docs/config.md for every setting.';
  readonly exit = 'usage';

  constructor(message: string) {
    super(message);
    this.name = 'KeyringError';
  }
}

interface Ring {
  active: string;
  keys: Map<string, Buffer>;
}

function newKeyId(key: Buffer): string {
  return createHash('sha256').update('master-key-id').update(key).digest('hex').slice(0, 12);
}

function parseKey(text: string): MasterKey {
  const trimmed = text.trim();
  const encoding = /^[0-9a-fA-F]{64}$/.test(trimmed) ? 'hex' : 'base64';
  const key = Buffer.from(trimmed, encoding);
  // The decoder skips what it does not know; a mistyped key must not become another one.
  if (key.length === KEY_BYTES && (encoding === 'hex' || /^[\w+/-]{43}=?$/.test(trimmed))) {
    return { id: newKeyId(key), key };
  }
  const how = 'make one with "openssl rand -base64 32"';
  throw new KeyringError(
    `MILLRACE_MASTER_KEY must be 32 bytes in base64 or hex, or several of them separated by commas: ${how}.`,
  );
}

/** `new,old`: the first one is active, the others still open what they sealed. */
export function keyringFromText(text: string): MasterKeys {
  const list = text.split(',').map(parseKey);
  const byId = new Map(list.map((master) => [master.id, master]));
  return { active: () => list[0]!, find: (id) => byId.get(id) };
}

function readRing(path: string): Ring {
  try {
    const stored = JSON.parse(readFileSync(path, 'utf8')) as {
      active: string;
      keys: Record<string, string>;
    };
    const entries = Object.entries(stored.keys).map(([id, text]): [string, Buffer] => [
      id,
      Buffer.from(text, 'base64'),
    ]);
    const keys = new Map(entries);
    if (keys.get(stored.active)?.length === KEY_BYTES) return { active: stored.active, keys };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') {
      throw new KeyringError(`The master keys in ${path} cannot be read by this user`);
    }
  }
  throw new KeyringError(`The master keys in ${path} are damaged. Restore the file from a copy.`);
}

function writeRing(path: string, ring: Ring): void {
  const keys = Object.fromEntries([...ring.keys].map(([id, key]) => [id, key.toString('base64')]));
  const temporary = `${path}.${process.pid}.tmp`;
  const file = openSync(temporary, 'w', 0o600);
  try {
    writeSync(file, `${JSON.stringify({ active: ring.active, keys }, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

/** One writer at a time: a key that another process has just added must not be written over. */
function withLock<T>(folder: string, work: () => T): T {
  const lock = lockFile(join(folder, 'master-keys.lock'), { waitMs: LOCK_WAIT_MS });
  if (lock === undefined) {
    throw new KeyringError(
      `Another process has been changing the master keys in ${folder} for long. Try again when it has ended.`,
    );
  }
  try {
    return work();
  } finally {
    lock.release();
  }
}

/** Makes a key the active one; the others stay, because they still open what they sealed. */
function addKey(path: string): string {
  const keys = existsSync(path) ? readRing(path).keys : new Map<string, Buffer>();
  const key = randomBytes(KEY_BYTES);
  const id = newKeyId(key);
  writeRing(path, { active: id, keys: keys.set(id, key) });
  return id;
}

function createRing(folder: string, path: string): void {
  withFolder(dataFolder(folder), () => makeFolder(folder, 0o700));
  withLock(folder, () => {
    if (!existsSync(path)) addKey(path);
  });
}

/**
 * Made when the first secret is sealed. Follows the file: a key that another process has added is
 * found without a restart.
 */
export function keyringFromFolder(folder: string): MasterKeys {
  const path = join(folder, KEYRING_FILE);
  let ring: Ring = { active: '', keys: new Map() };
  let seen = '';
  /** Every change is a new file; times alone are too coarse to tell two changes apart. */
  const stateOf = () => {
    const stat = withFolder(dataFolder(folder), () => statSync(path, { throwIfNoEntry: false }));
    return stat && `${stat.mtimeMs} ${stat.ino} ${stat.size}`;
  };
  const refresh = () => {
    // Looked at before it is read: a change in between is then read again, not missed.
    const state = stateOf();
    if (state === undefined) return;
    ring = readRing(path);
    seen = state;
  };
  refresh();
  const find = (id: string): MasterKey | undefined => {
    const key = ring.keys.get(id);
    return key && { id, key };
  };
  return {
    active() {
      // Looked at for every sealing, which is rare: a new key is in use at once, everywhere.
      if (!existsSync(path)) createRing(folder, path);
      if (stateOf() !== seen) refresh();
      return find(ring.active)!;
    },
    find(id) {
      const known = find(id);
      if (known) return known;
      refresh();
      return find(id);
    },
  };
}

/** Adds a new active key to the file, which is made when there is none. */
export function addMasterKey(folder: string): string {
  const path = join(folder, KEYRING_FILE);
  withFolder(dataFolder(folder), () => makeFolder(folder, 0o700));
  return withLock(folder, () => addKey(path));
}

/**
 * Removes keys that seal nothing any more. The one before the active key stays: a server may be
 * sealing with it at this very moment.
 */
export function keepMasterKeys(folder: string, inUse: ReadonlySet<string>): string[] {
  const path = join(folder, KEYRING_FILE);
  return withLock(folder, () => {
    const ring = readRing(path);
    const ids = [...ring.keys.keys()];
    const previous = ids[ids.indexOf(ring.active) - 1];
    const removed = ids.filter((id) => id !== ring.active && id !== previous && !inUse.has(id));
    for (const id of removed) ring.keys.delete(id);
    if (removed.length > 0) writeRing(path, ring);
    return removed;
  });
}
