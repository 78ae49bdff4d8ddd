// A server of this machine, for a run that names none.
import type { Config } from '../../config.ts';
import { findRunningEmbedded } from '../../store/embedded/supervisor.ts';
import { makeKey, startOwnServer } from '../own-server.ts';
import type { OwnServer } from '../own-server.ts';

const LOCAL = { email: 'local@example.com', name: 'millrace run' };

/** Whether a server runs on the data folder of these settings. */
export function isAtWork(config: Config): boolean {
  return findRunningEmbedded(config.dataDir) !== undefined;
}

export function makeLocalKey(config: Config): Promise<string> {
  return makeKey(config, LOCAL);
}

export function startOwn(config: Config): Promise<OwnServer> {
  return startOwnServer({ ...config, host: '127.0.0.1', port: 0 }, LOCAL);
}
