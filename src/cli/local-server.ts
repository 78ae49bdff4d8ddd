// The server of a data folder on this machine, for commands that name none, and the key of its owner. What
// proves the ownership is that the command can read the folder: the mark of the server and the key are
// there, for the owner's eyes. Nothing of it is ever sent to an address that the mark does not name.
import type { Config } from '../config/config.ts';
import { systemClock } from '../platform/clock.ts';
import { isProof, newChallenge, readServerMark } from '../platform/server-mark.ts';
import { joinServer } from '../platform/server-users.ts';
import type { LocalServers } from '../orchestrator/find-server.ts';
import { keptOwnerKey } from './kept-owner-key.ts';

/** A server that is not there refuses at once. One that listens and does not answer yet has the folder, and is busy. */
const PROBE_MS = 30_000;
/** Another command may be starting or stopping one for itself. */
const CHANGING_MS = 60_000;

/** The address of the server that runs on the data folder of these settings, once it proved it. */
export async function findLocal(config: Config): Promise<string | undefined> {
  // A database of one's own has no folder whose server would be known; a command starts one for itself.
  const mark = config.databaseUrl === undefined ? readServerMark(config.dataDir) : undefined;
  if (mark === undefined) return undefined;
  const challenge = newChallenge();
  try {
    const answer = await fetch(`${mark.url}/healthz?challenge=${challenge}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(PROBE_MS),
    });
    const { proof } = (await answer.json()) as { proof?: unknown };
    return isProof(mark, challenge, proof) ? mark.url : undefined;
  } catch {
    return undefined;
  }
}

/** Half of the program: loaded only by a command that starts a server, or needs a new key of one. */
const ownServer = () => import('./commands/server/own-server.ts');

export function localServers(config: Config): LocalServers {
  async function ownerKey(url: string): Promise<string> {
    const isEmbedded = config.databaseUrl === undefined;
    const kept = isEmbedded ? await keptOwnerKey(config.dataDir, url) : undefined;
    return kept ?? (await ownServer()).makeOwnerKey(config);
  }

  async function find() {
    if (config.databaseUrl !== undefined || readServerMark(config.dataDir) === undefined) return;
    const close = joinServer(config.dataDir);
    const url = await findLocal(config);
    if (url !== undefined) return { url, key: await ownerKey(url), close: async () => close() };
    close();
    return undefined;
  }

  return {
    dataDir: config.databaseUrl === undefined ? config.dataDir : undefined,
    find,
    async start() {
      const { startOwnServer } = await ownServer();
      const { DataFolderInUseError } = await import('../store/embedded/data-lock.ts');
      const place = { ...config, host: '127.0.0.1', port: 0 };
      for (const until = Date.now() + CHANGING_MS; ; await systemClock.sleep(100)) {
        try {
          return await startOwnServer(place);
        } catch (error) {
          if (!(error instanceof DataFolderInUseError) || Date.now() > until) throw error;
        }
        const found = await find();
        if (found !== undefined) return found;
      }
    },
  };
}
