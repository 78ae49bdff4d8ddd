// A server of this machine, for a run that names none.
import type { Config } from '../../../config.ts';
import { isProof, newChallenge, readServerMark } from '../../../platform/server-mark.ts';
import type { LocalServers } from '../../../orchestrator/index.ts';

const LOCAL = { email: 'local@example.com', name: 'millrace run' };

/** A server that is not there refuses at once. One that listens and does not answer yet has the folder, and is busy. */
const PROBE_MS = 30_000;

/** The address of the server that runs on the data folder of these settings, once it proved it. */
async function findLocal(config: Config): Promise<string | undefined> {
  // A database of one's own has no folder whose server would be known; a run starts one for itself.
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

/** Half of the program: loaded only by a run that starts a server, or needs a key of one. */
const ownServer = () => import('../server/own-server.ts');

/** `isShared`: others on this machine may use the one that is started, as long as it is up. */
export function localServers(config: Config, isShared = false): LocalServers {
  return {
    find: () => findLocal(config),
    makeKey: async () => (await ownServer()).makeKey(config, LOCAL),
    async start() {
      const { startOwnServer } = await ownServer();
      const place = { ...config, host: '127.0.0.1', port: 0 };
      return startOwnServer(place, LOCAL, { isPrivate: !isShared });
    },
  };
}
