// The API as the signed-in person: the session cookie goes along by itself.
import { MillraceClient, MillraceConnectionError, MillraceError } from '../../src/client/index.ts';
import { defaultWorld } from '../../src/client/world.ts';
import { sessionFetch, sessionReplacingFetch } from './session-fetch.ts';
import { chosenTeam } from './chosen-team.ts';

function newClient(): MillraceClient {
  const teamId = chosenTeam();
  return new MillraceClient(location.origin, '', {
    // The page tries again by itself, and says so.
    maxRetries: 1,
    world: { ...defaultWorld, fetch: sessionFetch },
    ...(teamId === undefined ? {} : { teamId }),
  });
}

export const api = newClient();

/** For routes that the typed client does not have. */
export async function call<T>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  { replacesSession = false, isForTeam = true } = {},
): Promise<T> {
  const teamId = isForTeam ? chosenTeam() : undefined;
  const send = replacesSession ? sessionReplacingFetch : sessionFetch;
  const response = await send(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(teamId === undefined ? {} : { 'x-team-id': teamId }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new MillraceConnectionError('Could not reach the server.', error);
  });
  const text = await response.text();
  const answer = text === '' ? undefined : (JSON.parse(text) as unknown);
  if (response.ok) return answer as T;
  const { error } = (answer ?? {}) as {
    error?: { code?: string; message?: string; details?: unknown };
  };
  throw new MillraceError(
    response.status,
    error?.code ?? `HTTP_${response.status}`,
    error?.message ?? `The server answered with status ${response.status}.`,
    {
      details: error?.details,
      requestId: response.headers.get('x-request-id') ?? undefined,
    },
  );
}
