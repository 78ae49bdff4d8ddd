// The key of a data folder's owner, as long as the server of the folder knows it.
import { readOwnerKey } from '../platform/owner-key.ts';

const PROBE_MS = 30_000;

/** Only a plain no counts: a server that is busy or refuses for another reason says so to the command. */
async function isRefused(url: string, key: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/api/v1/auth/me`, {
      headers: { 'x-api-key': key },
      redirect: 'error',
      signal: AbortSignal.timeout(PROBE_MS),
    });
    await answer.body?.cancel();
    return answer.status === 401;
  } catch {
    return false;
  }
}

/** `url` is a server that has proved to be the one of this folder. Undefined: a new key is needed. */
export async function keptOwnerKey(dataDir: string, url: string): Promise<string | undefined> {
  const kept = readOwnerKey(dataDir);
  return kept === undefined || (await isRefused(url, kept)) ? undefined : kept;
}
