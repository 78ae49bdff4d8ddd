// millrace demo: the whole service in one command, with a model that needs no key.
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION, startApp } from '../app.ts';
import type { App } from '../app.ts';
import { MillraceClient } from '../client/index.ts';
import { ConfigError } from '../config.ts';
import type { Config } from '../config.ts';
import { createLogger, createScrubber } from '../platform/log.ts';
import { newId } from '../platform/ids.ts';
import { createApiKeyService } from '../services/api-keys.ts';
import { openDb } from '../store/postgres.ts';
import { createSignals } from '../store/signals.ts';
import { DEMO_JOBS, followDemoJob, submitDemoJob } from './demo-jobs.ts';
import type { DemoJob } from './demo-jobs.ts';
import { createDemoView } from './demo-view.ts';
import { EXIT } from './exit-codes.ts';
import { print, styled } from './output.ts';
import type { CommandOptions } from './command.ts';
import { progressOf } from './progress.ts';
import type { Progress } from './progress.ts';
import { configOf } from './settings.ts';
import { untilStopped } from './stop-signal.ts';

const PORTS_TO_TRY = 20;

async function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}

/** The port asked for, or, when none was asked for, the first free one from the usual on. */
async function choosePort(config: Config, asked: boolean): Promise<number> {
  if (asked) return config.port;
  for (let port = config.port; port < config.port + PORTS_TO_TRY; port++) {
    if (await isFree(config.host, port)) return port;
  }
  return 0;
}

/** A folder of its own, so that a demo never touches real data; a temporary one where none can be. */
async function chooseFolder(config: Config, asked: boolean) {
  const kept = {
    folder: asked ? config.dataDir : join(config.dataDir, 'demo'),
    remove: async () => {},
  };
  try {
    mkdirSync(kept.folder, { recursive: true, mode: 0o700 });
    return kept;
  } catch (error) {
    if (asked) throw error;
    const folder = await mkdtemp(join(tmpdir(), 'millrace-demo-'));
    return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
  }
}

async function createDemoKey(app: App): Promise<string> {
  const db = openDb({ url: app.databaseUrl, poolSize: 2 });
  const signals = createSignals({ originId: newId('sig'), db, onError: () => {} });
  try {
    const keys = createApiKeyService({ db, signals, defaultTier: 'enterprise' });
    const { key } = await keys.create({
      email: 'demo@example.com',
      name: 'demo',
      tier: undefined,
      scopes: undefined,
      expiresInDays: 7,
    });
    await signals.flush();
    return key;
  } finally {
    await db.close();
  }
}

async function runJobs(
  server: { url: string; key: string },
  stopped: Promise<unknown>,
  progress: Progress,
): Promise<boolean> {
  const client = new MillraceClient(server.url, server.key);
  const runId = newId('run');
  const view = createDemoView(DEMO_JOBS, process.stdout, progress);
  const stop = new AbortController();
  void stopped.then(() => stop.abort());
  const run = async (job: DemoJob): Promise<boolean> => {
    const { jobId } = await submitDemoJob(client, job, runId);
    return followDemoJob(client, jobId, {
      signal: stop.signal,
      onProgress: (progress) => view.update(job.streamId, progress),
    });
  };
  try {
    const ended = await Promise.all(DEMO_JOBS.map(run));
    return ended.every(Boolean);
  } catch (error) {
    if (stop.signal.aborted) return false;
    throw error;
  } finally {
    view.close();
  }
}

function showNext(url: string, key: string): void {
  const body = `{"streamId":"hello","prompt":"Say hello","model":"sim-fast","maxTokens":300}`;
  print('');
  print(styled('bold', 'Try it:'));
  print(`  curl -s ${url}/api/v1/execute \\`);
  print(`    -H 'X-API-Key: ${key}' \\`);
  print(`    -H 'Content-Type: application/json' \\`);
  print(`    -d '${body}'`);
  print(`  curl -s '${url}/api/v1/job/JOB_ID?wait=30' \\`);
  print(`    -H 'X-API-Key: ${key}'`);
  print('');
  print(`  ${styled('bold', 'Reference')}  ${url}/docs`);
}

export async function demo(options: CommandOptions): Promise<number> {
  const progress = progressOf(options, process.stdout, process.env);
  if (progress === 'json') {
    throw new ConfigError([
      'demo is made to be looked at; for a program use: millrace serve --json',
    ]);
  }
  const asked = configOf(options);
  const place = await chooseFolder(asked, options['dataDir'] !== undefined);
  const config: Config = {
    ...asked,
    databaseUrl: undefined,
    databaseDirectUrl: undefined,
    dataDir: place.folder,
    port: await choosePort(asked, options['port'] !== undefined),
    role: 'all',
    simulator: true,
    drainSeconds: 1,
    logLevel: 'warn',
  };
  const stopped = untilStopped();
  const scrubber = createScrubber();
  const log = createLogger({
    level: config.logLevel,
    scrubber,
    write: (line) => void process.stderr.write(line),
  });
  const app = await startApp(config, { log, scrubber });
  try {
    const url = app.url ?? '';
    print(`${styled('bold', `Millrace ${VERSION}`)}  ${url}`);
    print(`${styled('yellow', 'Simulated model:')} no provider is called, nothing is charged.`);
    print('');
    const key = await createDemoKey(app);
    const allEnded = await runJobs({ url, key }, stopped, progress);
    if (options['exit']) return allEnded ? EXIT.ok : EXIT.failed;
    showNext(url, key);
    print(`  Data stays in ${place.folder}. Press ctrl-c to stop.`);
    await stopped;
    return EXIT.ok;
  } finally {
    await app.close();
    await place.remove();
  }
}
