// The command line's half of signing in: it asks for a code, then for the token, until a person decides.
import { setTimeout as sleep } from 'node:timers/promises';
import { createCalls } from '../../../client/calls.ts';
import { MillraceConnectionError, MillraceError } from '../../../client/index.ts';
import type { DeviceCode, DeviceState, DeviceToken } from '../../../contract/device-api.ts';
import { CommandError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';

const DEVICE = '/api/v1/auth/device';
const RETRIES = 2;
/** The first time soon: a person who is signed in already needs no longer. */
const FIRST_MS = 1000;

function refused(message: string): CommandError {
  const hint = `Run ${commandLine('login')} to try again.`;
  return new CommandError({ code: 'SIGN_IN_REFUSED', message, hint, exit: EXIT.notAuthorised });
}

interface Refusal {
  state: DeviceState;
  intervalSeconds?: number;
}

function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof MillraceError)) return undefined;
  const details = error.details as Partial<Refusal> | undefined;
  return details?.state === undefined ? undefined : { ...details, state: details.state };
}

/** A server that is away for a moment does not end a sign-in that a person is about to approve. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof MillraceConnectionError || (error instanceof MillraceError && error.retryable)
  );
}

export async function signInByDevice(
  url: string,
  clientName: string,
  show: (code: DeviceCode) => void,
): Promise<DeviceToken> {
  const { send } = createCalls(url, '', { maxRetries: RETRIES });
  const code = await send<DeviceCode>('POST', DEVICE, {}, { clientName });
  show(code);
  const endsAt = performance.now() + code.expiresInSeconds * 1000;
  let waitMs = FIRST_MS;
  while (performance.now() < endsAt) {
    await sleep(waitMs);
    waitMs = code.intervalSeconds * 1000;
    try {
      return await send('POST', `${DEVICE}/token`, {}, { deviceCode: code.deviceCode });
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal?.state === 'denied') throw refused('The sign-in was denied.');
      if (refusal?.state === 'expired') break;
      if (refusal === undefined && !isPassing(error)) throw error;
      if (refusal?.intervalSeconds !== undefined) waitMs = refusal.intervalSeconds * 1000;
    }
  }
  throw refused('Nobody approved the sign-in in time.');
}
