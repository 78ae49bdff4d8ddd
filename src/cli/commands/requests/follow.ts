// A run request from now to its end. The server holds each question until there is something new to say.
import type { MillraceClient } from '../../../client/index.ts';
import type { RunRequest } from '../../../contract/run-request-api.ts';
import { leaveOnSignal } from '../../stop-signal.ts';
import { note } from '../../terminal/output.ts';
import { followCommand, hasEnded, stateOf } from './request-text.ts';

/** Short enough for proxies, and for a change of its state to be shown while a person watches. */
const WAIT_SECONDS = 5;

export async function followRequest(
  client: MillraceClient,
  first: RunRequest,
  { isQuiet }: { isQuiet: boolean },
): Promise<RunRequest> {
  const stopListening = leaveOnSignal(() => {
    if (!isQuiet) note(`It continues. Follow it with: ${followCommand(first)}`);
  });
  try {
    let known = first;
    let shown = '';
    while (!hasEnded(known)) {
      const state = stateOf(known);
      if (state !== shown && !isQuiet) note(state);
      shown = state;
      known = await client.runRequests.get(known.id, { waitSeconds: WAIT_SECONDS });
    }
    return known;
  } finally {
    stopListening();
  }
}
