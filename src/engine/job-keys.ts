// The key a job calls its provider with: the one that came with the request, else the one its user
// stored, else the team's, else the operator's own.
import { hash } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import { ifItOpens, open } from '../platform/envelope.ts';
import type { MasterKeys } from '../platform/envelope.ts';
import type { Logger } from '../platform/log.ts';
import type { ClaimedJob } from '../store/jobs/claim-jobs.ts';
import type { Db } from '../store/postgres/db.ts';
import { isUnavailable } from '../store/postgres/errors.ts';
import { findUsableKey, updateKeyValidity } from '../store/accounts/provider-keys.ts';
import type { ProviderKeyRow } from '../store/accounts/provider-keys.ts';
import { jobKeyBinding, providerKeyBinding } from '../store/accounts/sealed-secrets.ts';

export interface JobKey {
  /** Undefined for a provider that needs none. */
  value: string | undefined;
  /** Names the key without telling it: calls of one key share one rate. */
  paceKey: string;
  /** Others call with it, too: it is the team's or the operator's. */
  isShared: boolean;
  /** Tells how a stored key did, the first time it is used. */
  report(accepted: boolean): Promise<void>;
}

export type FoundKey = { kind: 'found'; key: JobKey } | { kind: 'missing' } | { kind: 'unusable' };

/** A job, or a call, which cannot have a key of its own sealed. */
export type KeyUser = Pick<ClaimedJob, 'id' | 'userId' | 'teamId' | 'provider'> &
  Partial<Pick<ClaimedJob, 'sealedKey' | 'remainingMs'>>;

export interface JobKeys {
  find(job: KeyUser): Promise<FoundKey>;
}

const nothingToReport: JobKey['report'] = async () => {};

const RETRY_MS = 500;

function paceKeyOf(provider: string, value: string): string {
  return hash('sha256', `${provider} ${value}`, 'hex').slice(0, 24);
}

export function createJobKeys(deps: {
  db: Db;
  clock: Clock;
  masterKeys: MasterKeys;
  log: Logger;
  operatorKeys: ReadonlyMap<string, string>;
  /** Providers that can be called without a key. */
  keyless: ReadonlySet<string>;
}): JobKeys {
  const found = (
    provider: string,
    value: string,
    { isShared, report = nothingToReport }: { isShared: boolean; report?: JobKey['report'] },
  ): FoundKey => ({
    kind: 'found',
    key: { value, paceKey: paceKeyOf(provider, value), isShared, report },
  });

  function unseal(sealed: string, binding: string[]): string | undefined {
    return ifItOpens(
      () => open(deps.masterKeys, sealed, binding),
      (error) => {
        const { masterKeyId } = error;
        deps.log.error({ err: error, masterKeyId }, 'could not decrypt a stored key');
      },
    );
  }

  /** A database that is away for a moment is no reason to fail a job that has time. */
  async function findStored(job: KeyUser): Promise<ProviderKeyRow | undefined> {
    const until = deps.clock.now() + (job.remainingMs ?? 0);
    for (;;) {
      try {
        return await findUsableKey(deps.db, job, job.provider);
      } catch (error) {
        if (!isUnavailable(error) || deps.clock.now() > until) throw error;
        await deps.clock.sleep(RETRY_MS);
      }
    }
  }

  return {
    async find(job) {
      const { provider, userId } = job;
      if (job.sealedKey != null) {
        const value = unseal(job.sealedKey, jobKeyBinding(job.id));
        return value === undefined
          ? { kind: 'unusable' }
          : found(provider, value, { isShared: false });
      }
      const stored = provider === 'simulator' ? undefined : await findStored(job);
      if (stored) {
        const value = unseal(stored.sealed, providerKeyBinding(stored.owner.id, provider));
        if (value === undefined) return { kind: 'unusable' };
        const isShared = stored.owner.kind === 'team';
        const report = async (accepted: boolean) => {
          if (accepted === stored.valid) return;
          const key = { owner: stored.owner, provider, sealed: stored.sealed };
          // A note for the owner: not worth the answer that has just been paid for.
          await updateKeyValidity(deps.db, key, accepted).catch((error: unknown) => {
            deps.log.warn({ err: error, jobId: job.id }, 'could not save whether a key works');
          });
        };
        return found(provider, value, { isShared, report });
      }
      const operators = deps.operatorKeys.get(provider);
      if (operators !== undefined) return found(provider, operators, { isShared: true });
      if (!deps.keyless.has(provider)) return { kind: 'missing' };
      const key = {
        value: undefined,
        paceKey: paceKeyOf(provider, userId),
        isShared: true,
        report: nothingToReport,
      };
      return { kind: 'found', key };
    },
  };
}
