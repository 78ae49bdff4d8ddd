// A command line signs in: it gets a code, a person approves it in a browser, and the command line, which
// has asked for it all the while, gets a token. The device flow of RFC 8628 with our own error bodies.
import { randomInt } from 'node:crypto';
import type {
  DeviceCode,
  DeviceDecisionRequest,
  DeviceRequest,
  DeviceState,
  DeviceToken,
} from '../../contract/device-api.ts';
import { ServiceError } from '../../contract/errors.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import { newUserCode, readUserCode, shownUserCode } from '../../domain/accounts/user-code.ts';
import { newId } from '../../platform/ids.ts';
import { hashSecretToken, isSecretToken, newSecretToken } from '../../platform/secret-token.ts';
import {
  findDeviceCode,
  insertDeviceCode,
  takeDeviceCode,
  updateDeviceAsked,
  updateDeviceDecision,
} from '../../store/accounts/device-codes.ts';
import type { DeviceCodeRow } from '../../store/accounts/device-codes.ts';
import { insertSession } from '../../store/accounts/sessions.ts';
import { findUser } from '../../store/accounts/users.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db } from '../../store/postgres/db.ts';
import type { Attempts } from './attempts.ts';
import { checkNotSuspended, shownSession, shownUser } from './sign-in.ts';

export interface DeviceSignIn {
  start(clientName: string | undefined, address: string): Promise<DeviceCode>;
  /** Throws with `details.state` while there is no token. */
  takeToken(deviceCode: string, address: string): Promise<DeviceToken>;
  /** What asks to be let in; NOT_FOUND for a code that is none. */
  look(actor: Actor, userCode: string): Promise<DeviceRequest>;
  decide(actor: Actor, decision: DeviceDecisionRequest): Promise<void>;
}

const LIFE_SECONDS = 600;
const INTERVAL_SECONDS = 5;
const SLOWER = { bySeconds: 5, mostSeconds: 60 };
/** Of 25 billion codes, a few are in use: two tries are more than are ever needed. */
const TRIES = 5;

const REFUSALS: Readonly<Record<DeviceState, { code: ErrorCode; message: string }>> = {
  pending: { code: 'CONFLICT', message: 'Nobody has approved this sign-in yet. Ask again later.' },
  slow_down: {
    code: 'CONFLICT',
    message: 'You ask too often. Wait `intervalSeconds` between two requests.',
  },
  denied: { code: 'FORBIDDEN', message: 'The sign-in was denied.' },
  expired: {
    code: 'NOT_FOUND',
    message: 'This code has expired or was already used. Sign in again.',
  },
};

function refusal(state: DeviceState, intervalSeconds?: number): ServiceError {
  const { code, message } = REFUSALS[state];
  const details = intervalSeconds === undefined ? { state } : { state, intervalSeconds };
  return new ServiceError(code, message, { details });
}

function shown(row: DeviceCodeRow): DeviceRequest {
  const { clientName, address, createdAt, expiresAt } = row;
  const times = { createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
  return { clientName, address, ...times };
}

export function createDeviceSignIn(deps: {
  db: Db;
  attempts: Attempts;
  publicUrl(): string;
}): DeviceSignIn {
  const { db, attempts } = deps;

  /** Counted before it is looked up: a guess that is right must not get through when others do not. */
  async function hashOf(actor: Actor, userCode: string): Promise<Buffer> {
    await attempts.count(actor.address, actor.userId, 'device code');
    const code = readUserCode(userCode);
    if (code === undefined) throw missing();
    return hashSecretToken(code);
  }

  const missing = () =>
    new ServiceError('NOT_FOUND', 'There is no sign-in with this code. Check it, or start again.');

  return {
    async start(clientName, address) {
      await attempts.count(address, undefined, 'new device');
      const deviceCode = newSecretToken('dc');
      for (let tries = 0; tries < TRIES; tries++) {
        const code = newUserCode(randomInt);
        const isNew = await insertDeviceCode(db, {
          deviceHash: hashSecretToken(deviceCode),
          userHash: hashSecretToken(code),
          clientName: clientName ?? null,
          address,
          lifeSeconds: LIFE_SECONDS,
          intervalSeconds: INTERVAL_SECONDS,
        });
        if (!isNew) continue;
        const userCode = shownUserCode(code);
        const verificationUrl = `${deps.publicUrl()}/device`;
        return {
          deviceCode,
          userCode,
          verificationUrl,
          // After the #: browsers keep it to themselves, and no log has it.
          verificationUrlComplete: `${verificationUrl}#${userCode}`,
          expiresInSeconds: LIFE_SECONDS,
          intervalSeconds: INTERVAL_SECONDS,
        };
      }
      throw new Error('no free user code was found');
    },

    async takeToken(deviceCode, address) {
      if (!isSecretToken(deviceCode, 'dc')) throw refusal('expired');
      await attempts.count(address, undefined, 'device token');
      const deviceHash = hashSecretToken(deviceCode);
      const opened = await db.tx(async (tx) => {
        const taken = await takeDeviceCode(tx, deviceHash);
        if (taken === undefined) return undefined;
        const { userId, clientName: name, address: startedFrom } = taken;
        const user = (await findUser(tx, userId))!;
        checkNotSuspended(user);
        const token = newSecretToken('dt');
        const session = await insertSession(tx, {
          id: newId('ses'),
          userId,
          tokenHash: hashSecretToken(token),
          address: startedFrom,
          userAgent: null,
          device: { name },
        });
        const actor = { userId, credential: 'device', credentialId: session.id, address } as const;
        const after = { kind: 'device', name };
        const target = session.id;
        await writeAudit(tx, {
          action: 'session.created',
          actor,
          teamId: null,
          accountId: user.id,
          target,
          after,
        });
        return { token, user: shownUser(user), session: shownSession(session, session.id) };
      });
      if (opened !== undefined) return opened;
      const asked = await updateDeviceAsked(db, deviceHash, SLOWER);
      if (asked === undefined || asked.isExpired) throw refusal('expired');
      if (asked.state === 'denied') throw refusal('denied');
      // One that was approved in this very moment is there at the next request.
      throw refusal(asked.tooSoon ? 'slow_down' : 'pending', asked.intervalSeconds);
    },

    async look(actor, userCode) {
      const found = await findDeviceCode(db, await hashOf(actor, userCode));
      if (found === undefined) throw missing();
      return shown(found);
    },

    async decide(actor, { userCode, approve }) {
      const userHash = await hashOf(actor, userCode);
      await db.tx(async (tx) => {
        const decided = await updateDeviceDecision(tx, userHash, approve ? actor.userId : null);
        if (decided === undefined) throw missing();
        const { clientName, address } = decided;
        await writeAudit(tx, {
          action: approve ? 'device.approved' : 'device.denied',
          actor: auditActorOf(actor),
          teamId: null,
          accountId: actor.userId,
          target: null,
          after: { clientName, address },
        });
      });
    },
  };
}
