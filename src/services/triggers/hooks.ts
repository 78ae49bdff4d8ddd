// Calls from elsewhere. Who calls is nobody here: the secret is all they have, so it is asked for before the body is
// looked at, and what does not show it leaves nothing but a number.
import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ServiceError, invalid } from '../../contract/errors.ts';
import { isNestedAtMost } from '../../contract/nesting.ts';
import { HookCall, TRIGGER_ID_PATTERN } from '../../contract/trigger-api.ts';
import type { HookAnswer } from '../../contract/trigger-api.ts';
import type { ReadEvent } from '../../domain/trigger/event.ts';
import { plainLine, plainText } from '../../domain/trigger/plain-text.ts';
import { readGithub } from '../../domain/trigger/read-github.ts';
import { readGitlab } from '../../domain/trigger/read-gitlab.ts';
import type { MasterKeys } from '../../platform/envelope.ts';
import { checkGithub, checkGitlab } from '../../platform/hook-signature.ts';
import type { SignatureCheck } from '../../platform/hook-signature.ts';
import { idNow } from '../../platform/ids.ts';
import { hashSecretToken, isSecretToken } from '../../platform/secret-token.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import type { Db } from '../../store/postgres/db.ts';
import { collectSignals } from '../../store/postgres/signals.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { findByDigest } from '../../store/triggers/deliveries.ts';
import type { FirstDelivery } from '../../store/triggers/deliveries.ts';
import {
  countRefused,
  findTrigger,
  listTriggerSecrets,
  lockTrigger,
} from '../../store/triggers/triggers.ts';
import type { TriggerRow } from '../../store/triggers/triggers.ts';
import { RateLimitError } from '../limits.ts';
import type { LimitService } from '../limits.ts';
import { startOfEvent } from './start-of-event.ts';
import { openTriggerSecrets } from './trigger-secrets.ts';

export interface HookRequest {
  triggerId: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it came. */
  body: Buffer;
  /** In the path or in the header Authorization. */
  token: string | undefined;
}

export interface HookService {
  receive(request: HookRequest): Promise<HookAnswer>;
}

/** A minute, for each trigger. */
const CALLS = 120;
/** Counted a minute: more of them are refused all the same. */
const COUNTED_REFUSALS = 30;
const DEEPEST = 64;

const WHY: Readonly<Record<Exclude<SignatureCheck, 'good'>, string>> = {
  missing: 'The call shows no secret. Set the secret of this trigger where the call is made.',
  wrong:
    'The secret or the signature is wrong. Set the secret of this trigger where the call is made.',
  stale: 'The signature is older than five minutes, or its clock is wrong.',
};

function readJson(body: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body);
  } catch {
    throw new ServiceError('VALIDATION_ERROR', 'The body is not valid UTF-8.');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ServiceError('VALIDATION_ERROR', 'The body is not valid JSON.');
  }
  if (isNestedAtMost(value, DEEPEST)) return value;
  throw new ServiceError('VALIDATION_ERROR', `The body is nested deeper than ${DEEPEST} levels.`);
}

function readCall(body: Buffer): ReadEvent {
  const parsed = HookCall.safeParse(body.length === 0 ? {} : readJson(body));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(
      issue?.path.join('.') ?? 'body',
      'custom',
      issue?.message ?? z.prettifyError(parsed.error),
    );
  }
  const values = Object.entries(parsed.data.values).map(([name, value]) => [
    `values.${name}`,
    plainText(String(value)),
  ]);
  const event = {
    name: 'call' as const,
    said: 'call',
    repository: null,
    host: null,
    actor: null,
    isBot: false,
    isOwn: false,
    isFork: false,
    labels: [],
    branch: null,
    paths: [],
    values: Object.fromEntries(values) as Record<string, string>,
  };
  return { kind: 'event', event };
}

const one = (value: string | string[] | undefined) => (typeof value === 'string' ? value : '');

function read({ kind }: TriggerRow, { headers, body }: HookRequest): ReadEvent {
  if (kind === 'url') return readCall(body);
  const value = readJson(body);
  if (kind === 'gitlab') return readGitlab(value);
  return readGithub(plainLine(one(headers['x-github-event']), 50), value);
}

/** A call of a URL without a body is no delivery that could come twice, unless its sender says so. */
function digestOf({ kind }: TriggerRow, { headers, body }: HookRequest): Buffer | null {
  const key = kind === 'url' ? one(headers['idempotency-key']) : '';
  if (body.length === 0 && key === '') return null;
  return createHash('sha256').update(body).update(`\n${key}`).digest();
}

const answerOf = ({ id, ...rest }: FirstDelivery, repeated: boolean): HookAnswer => ({
  deliveryId: id,
  ...rest,
  repeated,
});

export function createHooks(deps: {
  db: Db;
  signals: Signals;
  masterKeys: MasterKeys;
  limits: LimitService;
}): HookService {
  const { db } = deps;

  async function check(trigger: TriggerRow, request: HookRequest): Promise<SignatureCheck> {
    const secrets = await listTriggerSecrets(db, trigger.id);
    if (trigger.kind === 'url') {
      const { token } = request;
      if (token === undefined || token === '') return 'missing';
      if (!isSecretToken(token, 'tg')) return 'wrong';
      const hash = hashSecretToken(token);
      return secrets.some(({ tokenHash }) => tokenHash !== null && timingSafeEqual(tokenHash, hash))
        ? 'good'
        : 'wrong';
    }
    const opened = openTriggerSecrets(deps.masterKeys, trigger.id, secrets);
    const { headers, body } = request;
    return trigger.kind === 'github'
      ? checkGithub(headers, body, opened)
      : checkGitlab(headers, body, opened, idNow());
  }

  /** A caller that sends many of them must not keep the database busy. */
  async function noteRefused(id: string): Promise<void> {
    try {
      await deps.limits.take(`refused ${id}`, COUNTED_REFUSALS);
    } catch (error) {
      if (error instanceof RateLimitError) return;
      throw error;
    }
    await countRefused(db, id);
  }

  return {
    async receive(request) {
      const { triggerId } = request;
      const known = TRIGGER_ID_PATTERN.test(triggerId)
        ? await findTrigger(db, triggerId)
        : undefined;
      if (known === undefined) {
        throw new ServiceError('NOT_FOUND', 'There is no trigger with this id.');
      }
      const checked = await check(known, request);
      if (checked !== 'good') {
        await noteRefused(triggerId);
        throw new ServiceError('UNAUTHORIZED', WHY[checked]);
      }
      // After the secret: nobody without it can use up what is left for those who have it.
      await deps.limits.take(`hook ${triggerId}`, CALLS);
      const event = read(known, request);
      const digest = digestOf(known, request);
      const pending = collectSignals();
      const answer = await db.tx(async (tx) => {
        await lockTeam(tx, known.teamId);
        const trigger = await lockTrigger(tx, triggerId);
        if (trigger === undefined) {
          throw new ServiceError('NOT_FOUND', 'There is no trigger with this id.');
        }
        const first = digest && (await findByDigest(tx, triggerId, digest));
        if (first) return answerOf(first, true);
        const about = { read: event, digest, replayOf: null };
        return answerOf(await startOfEvent(tx, pending, trigger, about), false);
      });
      pending.sendBy(deps.signals);
      return answer;
    },
  };
}
