// Waits for the end of a run request. The server may be restarting meanwhile; the request is in its database.
import type { MillraceClient } from '../../client/index.ts';
import type { RunRequest } from '../../contract/run-request-api.ts';
import type { ToolCall } from '../call.ts';
import type { SessionDeps } from '../deps.ts';
import { isPassing } from '../get-execution.ts';
import { getRequest } from './read-answers.ts';
import { stateText } from './shown-request.ts';

/** Between looks at a server that is away. */
const AWAY_MS = 500;

interface Following {
  deps: SessionDeps;
  client: MillraceClient;
  call: ToolCall;
}

export async function followRequest(
  { deps: { clock, settings, connect }, client: first, call }: Following,
  request: RunRequest,
  { until, isEnough }: { until: number; isEnough(request: RunRequest): Promise<boolean> },
): Promise<RunRequest> {
  const { signal, reportProgress } = call;
  let client = first;
  let known = request;
  for (let beat = 0; known.endedAt === null; beat += 1) {
    const left = until - clock.now();
    if (left <= 0 || (await isEnough(known))) break;
    await reportProgress?.({ progress: beat, message: stateText(known) });
    const waitSeconds = Math.min(left, settings.heartbeatMs) / 1000;
    try {
      known = await getRequest(client, known.id, { waitSeconds, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!settings.waitsForServer || !isPassing(error) || clock.now() >= until) throw error;
      await clock.sleep(AWAY_MS, signal);
      client = await connect().catch(() => client);
    }
  }
  return known;
}
