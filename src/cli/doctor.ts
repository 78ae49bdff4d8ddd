// millrace doctor
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { MIGRATIONS_FOLDER } from '../app.ts';
import type { Config } from '../config.ts';
import { migrate } from '../store/migrate.ts';
import { openDb } from '../store/postgres.ts';
import { reachDatabase } from './database.ts';
import { EXIT } from './exit-codes.ts';
import { failureOf } from './failure.ts';
import { print, styled } from './output.ts';
import type { CommandOptions } from './command.ts';
import { commandLine } from './command-name.ts';
import { configOf } from './settings.ts';

interface Check {
  name: string;
  run(): Promise<string>;
}

function checkNode(): string {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return `Node ${process.versions.node}`;
  throw new Error(`Node ${process.versions.node} is too old: use 22.18 or newer, or ./millrace`);
}

function checkDataFolder(config: Config): string {
  if (config.databaseUrl !== undefined) return 'not needed: DATABASE_URL is set';
  let folder = config.dataDir;
  while (!existsSync(folder)) folder = dirname(folder);
  accessSync(folder, constants.W_OK);
  mkdirSync(config.dataDir, { recursive: true });
  return config.dataDir;
}

async function checkDatabase(config: Config): Promise<string> {
  const database = await reachDatabase(config);
  try {
    const db = openDb({ url: database.url, poolSize: 2 });
    try {
      const { rows } = await db.query<{ version: string }>('show server_version');
      const { version } = await migrate({ url: database.url, folder: MIGRATIONS_FOLDER });
      return `PostgreSQL ${rows[0]?.version}, schema version ${version}`;
    } finally {
      await db.close();
    }
  } finally {
    await database.stop();
  }
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

export async function doctor(options: CommandOptions): Promise<number> {
  const config = configOf(options);
  const checks: Check[] = [
    { name: 'runtime', run: async () => checkNode() },
    { name: 'data folder', run: async () => checkDataFolder(config) },
    { name: 'database', run: () => checkDatabase(config) },
    { name: 'server', run: () => checkServer(config) },
    { name: 'simulator', run: async () => (config.simulator ? 'on' : 'off') },
  ];
  const results = [];
  for (const check of checks) {
    try {
      results.push({ name: check.name, ok: true, text: await check.run() });
    } catch (error) {
      const { message, hint } = failureOf(error);
      results.push({ name: check.name, ok: false, text: hint ? `${message} ${hint}` : message });
    }
  }
  if (options['json'])
    print(JSON.stringify({ ok: results.every(({ ok }) => ok), checks: results }));
  else {
    for (const { name, ok, text } of results) {
      print(`${ok ? styled('green', 'ok  ') : styled('red', 'FAIL')}  ${name.padEnd(12)} ${text}`);
    }
  }
  return results.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed;
}
