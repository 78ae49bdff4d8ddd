// Whether Millrace can run here, check by check.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { describePlaces, splitProcesses } from '../../../app/processes/split.ts';
import { connectionsOf, wantedModes } from '../../../app/prepare-database.ts';
import { MIGRATIONS_FOLDER } from '../../../app/version.ts';
import type { Config } from '../../../config/config.ts';
import { stateHomeOf } from '../../../config/state-folder.ts';
import { findNativeFolder } from '../../../store/embedded/binaries.ts';
import { findRunningEmbedded, hasCluster } from '../../../store/embedded/supervisor.ts';
import { EMBEDDED_MODES, chooseModes, describeModes } from '../../../store/postgres/modes.ts';
import { probeDatabase } from '../../../store/postgres/probe.ts';
import type { DatabaseUrls } from '../../../store/postgres/probe.ts';
import { readSchemaVersion } from '../../../store/postgres/schema-version.ts';
import type { Connections } from '../../../store/postgres/schema-version.ts';
import { EXIT } from '../../exit-codes.ts';
import { failureOf } from '../../failure.ts';
import { print, styled } from '../../terminal/output.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { configOf } from '../../settings/settings.ts';
import { checkFolder, dataFolder } from '../../../platform/make-folder.ts';

interface Check {
  name: string;
  run(): Promise<string | Warning>;
}

/** What this machine can do without. */
interface Warning {
  warning: string;
}

export interface CheckResult {
  name: string;
  ok: boolean;
  /** It is not as it should be, and Millrace runs all the same. */
  warning?: true;
  text: string;
}

function checkNode(): string {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return `Node ${process.versions.node}`;
  throw new Error(`Node ${process.versions.node} is too old: use 22.18 or newer, or ./millrace`);
}

function checkProcesses(config: Config): string {
  if (config.processes === 1) return '1';
  return `${config.processes} (${describePlaces(splitProcesses(config))})`;
}

function checkDataFolder(config: Config): string {
  if (config.databaseUrl !== undefined) return 'not needed: DATABASE_URL is set';
  const { dataDir } = config;
  checkFolder(dataFolder(dataDir));
  return existsSync(dataDir) ? dataDir : `${dataDir} (created when a server starts)`;
}

/** Undefined where the embedded database is not running: it is not started to look at it. */
export function databaseUrlsOf(config: Config): DatabaseUrls | undefined {
  const url = config.databaseUrl ?? findRunningEmbedded(config.dataDir)?.url;
  return url === undefined ? undefined : { url, directUrl: config.databaseDirectUrl ?? url };
}

/** Other servers on the same database take theirs, too: those are in use already. */
function checkConnections(config: Config, { limit, inUse }: Connections): void {
  const needed = connectionsOf(config);
  if (needed <= limit) return;
  throw new Error(
    `This server uses up to ${needed} connections, but the database allows ${limit} (${inUse} in use). ` +
      'Raise max_connections, put a pooler in between, or lower MILLRACE_DATABASE_POOL_SIZE or --processes.',
  );
}

async function checkDatabase(config: Config): Promise<string> {
  const urls = databaseUrlsOf(config);
  if (urls === undefined) {
    findNativeFolder(process.platform, process.arch);
    return hasCluster(config.dataDir)
      ? 'embedded PostgreSQL, not running (starts with a server)'
      : 'embedded PostgreSQL, not used yet (created when a server starts)';
  }
  const schema = { url: urls.directUrl, folder: MIGRATIONS_FOLDER };
  const { server, version, latest, connections } = await readSchemaVersion(schema);
  checkConnections(config, connections);
  if (version >= latest) return `PostgreSQL ${server}, schema version ${version}`;
  const state = version === 0 ? 'no schema yet' : `schema version ${version} of ${latest}`;
  const how = `the next start of a server brings it up to date, or: ${commandLine('migrate')}`;
  return `PostgreSQL ${server}, ${state} (${how})`;
}

/** What a server would choose, and why. */
async function checkModes(config: Config): Promise<string> {
  const urls = databaseUrlsOf(config);
  const wanted = wantedModes(config);
  if (urls === undefined) return describeModes(chooseModes(wanted, EMBEDDED_MODES));
  return describeModes(await probeDatabase(urls, wanted, { hasSchema: false }));
}

async function checkServer(config: Config): Promise<string> {
  const url = `http://${config.host}:${config.port}`;
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3000) });
    return response.ok ? `ready on ${url}` : `on ${url}, but not ready (${response.status})`;
  } catch {
    return `none on ${url} (start one with: ${commandLine('serve')})`;
  }
}

/** Runs do without one, so a machine that has none can still run Millrace: the text says what it lacks. */
async function checkSandbox(): Promise<string | Warning> {
  const { probeSandbox } = await import('../../../sandbox/probe.ts');
  const stateFolder = stateHomeOf(process.env, homedir());
  const probe = await probeSandbox({ home: homedir(), stateFolder });
  if (probe.kind === 'unavailable') return { warning: `not available. ${probe.remedy}` };
  const lacks = probe.lacks.map((one) => `; ${one}`).join('');
  return `${probe.program}, copies by ${COPIES[probe.copies]}${lacks}`;
}

const COPIES = { overlay: 'overlay', copy: 'copying each file' } as const;

export async function runChecks(config: Config): Promise<CheckResult[]> {
  const checks: Check[] = [
    { name: 'runtime', run: async () => checkNode() },
    { name: 'processes', run: async () => checkProcesses(config) },
    { name: 'data folder', run: async () => checkDataFolder(config) },
    { name: 'database', run: () => checkDatabase(config) },
    { name: 'signals', run: () => checkModes(config) },
    { name: 'server', run: () => checkServer(config) },
    { name: 'sandbox', run: () => checkSandbox() },
    { name: 'simulator', run: async () => (config.simulator ? 'on' : 'off') },
  ];
  const results: CheckResult[] = [];
  for (const check of checks) {
    try {
      const found = await check.run();
      const about =
        typeof found === 'string'
          ? { text: found }
          : { warning: true as const, text: found.warning };
      results.push({ name: check.name, ok: true, ...about });
    } catch (error) {
      const { message, hint } = await failureOf(error);
      results.push({ name: check.name, ok: false, text: hint ? `${message} ${hint}` : message });
    }
  }
  return results;
}

function markOf({ ok, warning }: CheckResult): string {
  if (!ok) return styled('red', 'FAIL');
  return warning ? styled('yellow', 'warn') : styled('green', 'ok  ');
}

export async function doctor(options: CommandOptions): Promise<number> {
  const results = await runChecks(configOf(options));
  if (options['json'])
    print(JSON.stringify({ ok: results.every(({ ok }) => ok), checks: results }));
  else {
    for (const result of results)
      print(`${markOf(result)}  ${result.name.padEnd(12)} ${result.text}`);
  }
  return results.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed;
}
