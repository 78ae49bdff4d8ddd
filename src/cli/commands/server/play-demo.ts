// The whole service at work, with a model that needs no key.
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../../app/version.ts';
import { ConfigError } from '../../../config/config-error.ts';
import type { Config } from '../../../config/config.ts';
import { tryListening } from '../../../platform/free-port.ts';
import { newId } from '../../../platform/ids.ts';
import { isDatabaseGone } from '../../../store/embedded/placement.ts';
import { commandIn, commandLine } from '../../command-name.ts';
import { browserOf, openBrowser } from '../account/open-browser.ts';
import { withAccountsOf } from '../admin/with-accounts.ts';
import { createDemoProject, runDemo } from './demo-run.ts';
import { EXIT } from '../../exit-codes.ts';
import { print, styled } from '../../terminal/output.ts';
import { startOwnServer } from './own-server.ts';
import type { CommandOptions } from '../../command.ts';
import { progressOf } from '../../terminal/progress.ts';
import { configOf } from '../../settings/settings.ts';
import { untilStopped } from '../../stop-signal.ts';
import { dataFolder, makeFolder, withFolder } from '../../../platform/make-folder.ts';

const PORTS_TO_TRY = 20;

async function isFree(host: string, port: number): Promise<boolean> {
  return tryListening(host, port).then(
    () => true,
    () => false,
  );
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
  // The data of a demo is worth nothing: a rest of it must not keep the next one from starting.
  if (!asked && isDatabaseGone(kept.folder)) rmSync(kept.folder, { recursive: true });
  try {
    withFolder(dataFolder(kept.folder), () => makeFolder(kept.folder, 0o700));
    return kept;
  } catch (error) {
    if (asked) throw error;
    const folder = await mkdtemp(join(tmpdir(), 'millrace-demo-'));
    return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
  }
}

/** Opens the page once, for a person in front of a screen. */
function openerFor(options: CommandOptions, page: string): () => void {
  const canSee = process.stdout.isTTY && !process.env['CI'] && options['open'] !== false;
  let opener = canSee ? browserOf(process.env, process.platform) : undefined;
  return () => {
    if (opener === undefined) return;
    openBrowser(page, opener);
    opener = undefined;
  };
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
  const progress = progressOf(options, process.stderr, process.env);
  if (progress === 'json') {
    throw new ConfigError([
      `demo has no JSON output. For programs: ${commandLine('serve', '--json')}`,
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
    simulator: true,
  };
  const stopped = untilStopped();
  // Whatever fails to start, nothing of what was made before stays behind.
  const made = [place.remove];
  try {
    const project = await createDemoProject();
    made.push(() => project.remove());
    const server = await startOwnServer(config);
    made.push(() => server.close());
    const { url: publicUrl, databaseUrl } = server;
    const makeLink = async (page: string) =>
      withAccountsOf({ ...config, publicUrl, databaseUrl }, (accounts) =>
        accounts.makeSignInLink(undefined, page),
      );
    return await play(options, { project, server, place, progress, stopped, makeLink });
  } finally {
    for (const remove of made.toReversed()) await remove();
  }
}

interface Demo {
  project: Awaited<ReturnType<typeof createDemoProject>>;
  server: Awaited<ReturnType<typeof startOwnServer>>;
  place: Awaited<ReturnType<typeof chooseFolder>>;
  progress: ReturnType<typeof progressOf>;
  stopped: ReturnType<typeof untilStopped>;
  /** Signs the browser in, once, and leads to the page. */
  makeLink(page: string): Promise<{ url: string }>;
}

async function play(options: CommandOptions, demo: Demo): Promise<number> {
  const { project, place, progress, stopped } = demo;
  const { url, key } = demo.server;
  print(`${styled('bold', `Millrace ${VERSION}`)}  ${url}`);
  print(`${styled('yellow', 'Simulated model:')} no provider is called, and nothing is charged.`);
  const stop = new AbortController();
  void stopped.then(() => stop.abort());
  print(`Sample project: ${project.root}`);
  // Who waits for the end of it does not watch.
  const isFast = options['fast'] === true || options['exit'] === true;
  const runId = newId('run');
  const page = `/runs/${runId}`;
  const { url: watchUrl } = await demo.makeLink(page);
  print('');
  print(
    `${styled('bold', 'Watch it in your browser')} (signs you in; works once, for 10 minutes):`,
  );
  print(`  ${watchUrl}`);
  print('');
  const { status } = await runDemo(
    project,
    { url, key },
    { runId, isFast, stop: stop.signal, progress, onReported: openerFor(options, watchUrl) },
  );
  if (stop.signal.aborted) return EXIT.ok;
  if (options['exit']) return status === 'complete' ? EXIT.ok : EXIT.failed;
  print(`  See the changes from another terminal: ${commandIn(project.root, 'diff')}`);
  showNext(url, key);
  const { url: dashboardUrl } = await demo.makeLink(page);
  print(`  ${styled('bold', 'Dashboard')}  ${dashboardUrl}`);
  const again = ['admin', 'sign-in-link'];
  print(`             Works once, for 10 minutes. For a new link:`);
  print(`             ${commandLine(...again, '--data-dir', place.folder)}`);
  print('');
  print(`  Data is kept in ${place.folder}. Press ctrl-c to stop.`);
  await stopped;
  return EXIT.ok;
}
