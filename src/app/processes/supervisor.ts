// Several processes that are one server. The supervisor owns what there is once: the database, the log,
// readiness, the end. It does no work of its own and loads no code for it.
import type { Config } from '../../config/config.ts';
import { tryListening } from '../../platform/free-port.ts';
import { newId } from '../../platform/ids.ts';
import { keyringFromFolder, keyringFromText } from '../../platform/keyring.ts';
import type { Logger, Scrubber } from '../../platform/log.ts';
import { newMarkSecret, publishServerMark } from '../../platform/server-mark.ts';
import type { App } from '../app.ts';
import { prepareDatabase } from '../prepare-database.ts';
import type { PreparedDatabase } from '../prepare-database.ts';
import { withTeardown } from '../teardown.ts';
import type { Teardown } from '../teardown.ts';
import type { SharedBySiblings } from '../siblings.ts';
import type { ProcessEntry } from './child.ts';
import { createProcessGroup } from './process-group.ts';
import { CAN_SHARE_PORT, listens, splitProcesses } from './split.ts';

export interface SupervisorDeps {
  log: Logger;
  scrubber: Scrubber;
  entry: ProcessEntry;
  /** Gets what processes log, a line or several. */
  write(lines: string): void;
}

/** Asked once, so its code is loaded then. */
async function makeSetupUrl(
  { url, modes }: PreparedDatabase,
  publicUrl: string,
): Promise<string | undefined> {
  const { openDb } = await import('../../store/postgres/postgres.ts');
  const { makeSetupLink } = await import('../../services/accounts/account-links.ts');
  const db = openDb({ url, poolSize: 1, prepared: modes.prepared.mode === 'on' });
  try {
    return (await makeSetupLink(db, publicUrl))?.url;
  } finally {
    await db.close();
  }
}

async function start(config: Config, deps: SupervisorDeps, teardown: Teardown): Promise<App> {
  const hasApi = config.role !== 'worker';
  // Before a database is made or started for nothing: is the port free, are the settings right?
  if (hasApi && config.port !== 0) await tryListening(config.host, config.port);
  if (config.masterKey === undefined) keyringFromFolder(config.dataDir);
  else keyringFromText(config.masterKey);

  const split = splitProcesses(config);
  const listening = split.filter(({ kind }) => listens(config.role, kind));
  // The folder belongs to one server only while its embedded database does.
  const markSecret = config.databaseUrl === undefined && hasApi ? newMarkSecret() : undefined;
  // Processes load their code while the database starts, and wait for it.
  const prepared = Promise.withResolvers<SharedBySiblings>();
  const group = createProcessGroup(split, config, prepared.promise, deps);
  const starting = group.start();
  // Looked at once there is a database.
  starting.catch(() => {});
  let database: PreparedDatabase;
  try {
    database = await prepareDatabase(config, deps, teardown);
  } finally {
    // They end before it does.
    teardown.add('processes', () => group.stop());
  }
  prepared.resolve({
    database,
    originId: newId('sig'),
    markSecret,
    sharesPort: CAN_SHARE_PORT && listening.length > 1,
  });
  const { url, healthUrl } = await starting;
  if (markSecret !== undefined && url !== undefined) {
    const mark = { url, secret: markSecret };
    teardown.add('mark', await publishServerMark(config.dataDir, mark));
  }
  return {
    url,
    healthUrl,
    databaseUrl: database.url,
    makeSetupUrl: async () => url && makeSetupUrl(database, config.publicUrl ?? url),
    beginStop: () => group.beginStop(),
    close: () => teardown.run(),
  };
}

export async function startProcesses(config: Config, deps: SupervisorDeps): Promise<App> {
  return withTeardown(deps.log, (teardown) => start(config, deps, teardown));
}
