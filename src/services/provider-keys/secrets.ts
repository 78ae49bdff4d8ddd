// The master keys: whether they open what is stored, and moving everything under a new one.
import { ifItOpens, masterKeyIdOf, open, rewrap } from '../../platform/envelope.ts';
import type { MasterKeys } from '../../platform/envelope.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import {
  discardSealed,
  listAllSealed,
  listSealedExamples,
  listSealedOtherwise,
  updateSealed,
} from '../../store/accounts/sealed-secrets.ts';
import type { DiscardedSecrets, SealedSecret } from '../../store/accounts/sealed-secrets.ts';
import { plainCommand } from '../../domain/command/suggested-command.ts';

export class MasterKeyMismatchError extends Error {
  readonly code = 'MASTER_KEY_MISMATCH';
  readonly exit = 'failed';

  constructor(masterKeyId: string) {
    super(
      `Stored provider keys are encrypted with the master key "${masterKeyId}", which this server does not have or which cannot decrypt them. ` +
        'Set the right MILLRACE_MASTER_KEY, or restore master-keys.json in the data folder. Nodes that share a database need the same master keys. ' +
        `If that key is lost for good: ${plainCommand('secrets', 'discard')}`,
    );
    this.name = 'MasterKeyMismatchError';
  }
}

/**
 * Refuses to go on with master keys that do not open what is stored. One secret that opens proves a
 * master key: a single damaged one is its owner's trouble, not a reason to serve nobody.
 */
export async function checkMasterKeys(db: Db, masterKeys: MasterKeys): Promise<void> {
  // Another look: a rotation may have moved the secrets and removed their key since they were read.
  if ((await findClosed(db, masterKeys)) === undefined) return;
  const closed = await findClosed(db, masterKeys);
  if (closed !== undefined) throw new MasterKeyMismatchError(closed);
}

/** A master key of stored secrets that opens none of them. */
async function findClosed(db: Db, masterKeys: MasterKeys): Promise<string | undefined> {
  const opens = new Map<string, boolean>();
  for (const { sealed, binding } of await listSealedExamples(db)) {
    const id = ifItOpens(() => masterKeyIdOf(sealed));
    if (id === undefined) continue;
    const opened = ifItOpens(() => open(masterKeys, sealed, binding)) !== undefined;
    opens.set(id, opened || opens.get(id) === true);
  }
  return [...opens].find(([, opened]) => !opened)?.[0];
}

export interface OpenedSecrets {
  opened: number;
  /** Secrets that do not open although their master key is here. */
  damaged: number;
  /** Master keys that open none of their secrets, with how many those are. */
  missing: { masterKeyId: string; secrets: number }[];
}

/** Tries every secret. */
export async function openAll(db: Queryable, masterKeys: MasterKeys): Promise<OpenedSecrets> {
  const byKey = new Map<string, { opened: number; closed: number }>();
  let damaged = 0;
  for (const { sealed, binding } of await listAllSealed(db)) {
    const id = ifItOpens(() => masterKeyIdOf(sealed));
    if (id === undefined) {
      damaged += 1;
      continue;
    }
    const counts = byKey.get(id) ?? { opened: 0, closed: 0 };
    byKey.set(id, counts);
    if (ifItOpens(() => open(masterKeys, sealed, binding)) === undefined) counts.closed += 1;
    else counts.opened += 1;
  }
  const missing: OpenedSecrets['missing'] = [];
  let opened = 0;
  for (const [masterKeyId, counts] of byKey) {
    opened += counts.opened;
    if (counts.opened > 0) damaged += counts.closed;
    else missing.push({ masterKeyId, secrets: counts.closed });
  }
  return { opened, damaged, missing };
}

/** Forgets what no master key here opens. In a transaction, so that it is all or nothing. */
export async function discardLost(
  tx: Queryable,
  { missing }: OpenedSecrets,
): Promise<DiscardedSecrets> {
  return discardSealed(
    tx,
    missing.map(({ masterKeyId }) => masterKeyId),
  );
}

const BATCH = 200;

export interface Rewrapped {
  rewrapped: number;
  /** Secrets that no master key opens: they stay as they are. */
  unreadable: number;
}

/** In small steps, beside running servers; a secret that changes meanwhile is left to the next. */
export async function rewrapAll(db: Db, masterKeys: MasterKeys): Promise<Rewrapped> {
  const unreadable = new Set<string>();
  let rewrapped = 0;
  const move = async (secret: SealedSecret) => {
    const sealed = ifItOpens(() => rewrap(masterKeys, secret.sealed, secret.binding));
    if (sealed === undefined) {
      unreadable.add(secret.sealed);
      return;
    }
    await updateSealed(db, secret, { sealed, masterKeyId: masterKeyIdOf(sealed) });
    rewrapped += 1;
  };
  for (;;) {
    // Asked for each time: another rotation may have begun, and then its key is the one to reach.
    const active = masterKeys.active().id;
    const found = await listSealedOtherwise(db, active, BATCH + unreadable.size);
    const batch = found.filter(({ sealed }) => !unreadable.has(sealed));
    // Only those that are still there: another rotation may have moved some, and then removed their key.
    if (batch.length === 0) return { rewrapped, unreadable: found.length };
    for (const secret of batch) await move(secret);
  }
}
