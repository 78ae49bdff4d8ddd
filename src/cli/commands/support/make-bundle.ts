// One file for a person who looks into a problem: what this server is, and how it is doing. Each part says itself
// when it could not be found out, because the bundle is wanted most where things do not work.
import { createWriteStream } from 'node:fs';
import { arch, cpus, freemem, release, totalmem } from 'node:os';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { MIGRATIONS_FOLDER, VERSION } from '../../../app/version.ts';
import type { Config } from '../../../config/config.ts';
import { createScrubber } from '../../../platform/log.ts';
import { readLayout } from '../../../store/embedded/placement.ts';
import { findQueueDepth } from '../../../store/jobs/jobs.ts';
import { listNodes } from '../../../store/jobs/system-state.ts';
import { openDb } from '../../../store/postgres/postgres.ts';
import { readSchemaVersion } from '../../../store/postgres/schema-version.ts';
import { listTableSizes } from '../../../store/postgres/table-sizes.ts';
import { findWebhookBacklog } from '../../../store/webhooks/webhook-backlog.ts';
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { failureOf } from '../../failure.ts';
import { configOf } from '../../settings/settings.ts';
import { note, print } from '../../terminal/output.ts';
import { databaseUrlsOf, runChecks } from '../server/run-checks.ts';
import { lastLines, withoutData } from './log-tail.ts';
import { secretsIn, shownSettings } from './shown-settings.ts';

const METRICS_MS = 5_000;

function describeMachine() {
  const { node, v8, openssl } = process.versions;
  return {
    millrace: VERSION,
    at: new Date().toISOString(),
    node,
    v8,
    openssl,
    platform: process.platform,
    arch: arch(),
    kernel: release(),
    cpus: cpus().length,
    memoryBytes: { total: totalmem(), free: freemem() },
  };
}

async function describeDatabase(config: Config) {
  const urls = databaseUrlsOf(config);
  if (urls === undefined) return { state: 'the embedded database is not running' };
  const schema = await readSchemaVersion({ url: urls.directUrl, folder: MIGRATIONS_FOLDER });
  const db = openDb({ url: urls.directUrl, poolSize: 1, prepared: false });
  try {
    const tables = await listTableSizes(db);
    if (schema.version === 0) return { schema, tables };
    const [nodes, queue, webhooks] = [
      await listNodes(db),
      await findQueueDepth(db),
      await findWebhookBacklog(db),
    ];
    return { schema, nodes, queue, webhooks, tables };
  } finally {
    await db.close();
  }
}

async function readMetrics({ host, port }: Config): Promise<string> {
  const response = await fetch(`http://${host}:${port}/metrics`, {
    signal: AbortSignal.timeout(METRICS_MS),
  });
  return response.text();
}

const json = (content: unknown) => `${JSON.stringify(content, null, 2)}\n`;

/** The text of a part, or why there is none. */
async function partOf(make: () => Promise<string> | string): Promise<string> {
  try {
    return await make();
  } catch (error) {
    const { code, message } = await failureOf(error);
    return json({ error: { code, message } });
  }
}

async function collect(options: CommandOptions): Promise<Map<string, string>> {
  const scrubber = createScrubber();
  const parts = new Map<string, string>();
  const add = async (name: string, make: () => Promise<string> | string) =>
    void parts.set(name, scrubber.scrub(await partOf(make)));
  // First: from here on the scrubber knows the secrets.
  const settings = json(shownSettings(options, process.env, scrubber));
  const apiKey = process.env['MILLRACE_API_KEY'];
  if (apiKey !== undefined) scrubber.add(apiKey);
  await add('machine.json', () => json(describeMachine()));
  await add('settings.json', () => settings);
  const problems = await partOf(() => {
    configOf(options);
    return '';
  });
  if (problems !== '') {
    // Nothing else can be asked without them.
    await add('problems.json', () => problems);
    return parts;
  }
  const config = configOf(options);
  const url = databaseUrlsOf(config)?.url;
  for (const secret of url === undefined ? [] : secretsIn(url)) scrubber.add(secret);
  await add('doctor.json', async () => json(await runChecks(config)));
  await add('database.json', async () => json(await describeDatabase(config)));
  await add('metrics.txt', () => readMetrics(config));
  const log = options['log'];
  if (typeof log === 'string') {
    const lines = await lastLines(resolve(log));
    if (lines === undefined) throw usageError(`Cannot read ${resolve(log)}.`, 'Check --log.');
    await add('server.log', () => lines.join('\n'));
  }
  if (config.databaseUrl === undefined) {
    const lines = await lastLines(readLayout(config.dataDir).logFile);
    if (lines !== undefined) await add('postgres.log', () => withoutData(lines).join('\n'));
  }
  return parts;
}

export async function makeBundle(options: CommandOptions, args: string[]): Promise<number> {
  const moment = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const path = resolve(args[0] ?? `millrace-support-${moment}Z.zip`);
  const parts = await collect(options);
  const zip = new ZipFile();
  for (const [name, text] of parts) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  try {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    // The package's type says only what it needs of a stream.
    await pipeline(zip.outputStream as Readable, file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw usageError(`${path} already exists.`, 'Choose another name.');
    throw usageError(`Cannot write ${path}: ${message}`, 'Choose another place.');
  }
  const files = [...parts.keys()];
  if (options['json']) print(JSON.stringify({ file: path, contents: files }));
  else print(`Wrote ${path} (${files.join(', ')}).`);
  note('Keys, passwords, prompts and answers are left out. Look through it before you send it.');
  return EXIT.ok;
}
