// kill -9 of the command, of the server and of both, at random moments of runs: what comes out is
// what comes out of a run that nobody disturbed.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { createProject, feature, reply } from '../orchestrator/project.ts';
import type { Project } from '../orchestrator/project.ts';
import { MAIN, cleanEnv, runCli } from '../support/cli.ts';
import { createTestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes.ts';
import { PATIENT_MS } from '../support/database-mode.ts';

const STREAMS = 20;
const LAYERS = 4;
// Each costs seconds of restarting; CHAOS_KILLS=30 looks longer.
const KILLS = Number(process.env['CHAOS_KILLS'] ?? 3);
/** Of an undisturbed run there are more: a kill comes after so many at the latest. */
const MOST_EVENTS = 160;

/** The same moments each time, so that a failure can be looked at again. */
function moments(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function manifest(): string {
  const width = STREAMS / LAYERS;
  const streams = Array.from({ length: STREAMS }, (_, i) => {
    const id = `s${i}`;
    const file = `out/${id}.txt`;
    const isMended = i % 10 === 7;
    const plan = isMended
      ? `${reply({ [file]: 'bad\n' })} ${reply({ [file]: `good ${id}\n` }, `${id}-fix-1`)}`
      : reply({ [file]: `good ${id}\n` });
    const deps =
      i < width ? [] : [`s${i - width}`, `s${((i + 1) % width) + i - (i % width) - width}`];
    return [
      id,
      {
        name: `Stream ${i}`,
        deps: [...new Set(deps)],
        owns: [file],
        verify: [`grep -q good ${file}`],
        plan: `${plan} [[sim:delay 60]]`,
      },
    ];
  });
  return feature(Object.fromEntries(streams) as Record<string, object>, { model: 'sim-fast' });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

let databaseUrl = '';
let removeDatabase = async () => {};
let port = 0;
let key = '';
let home = '';
let server: ChildProcess | undefined;
const projects: Project[] = [];

function serverEnv() {
  return cleanEnv({
    DATABASE_URL: databaseUrl,
    MILLRACE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    MILLRACE_DRAIN_SECONDS: '0',
    MILLRACE_LOG_LEVEL: 'error',
  });
}

async function startServer(): Promise<void> {
  server = spawn(process.execPath, [MAIN, 'serve', '--port', String(port)], {
    env: serverEnv(),
    stdio: 'ignore',
  });
  await waitUntil(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    return answer?.ok === true;
  }, 'the server');
}

async function endSurely(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

function startRun(place: Project): ChildProcess {
  return spawn(process.execPath, [MAIN, 'run', '--yes', '--json', '--concurrency', '4'], {
    cwd: place.root,
    env: cleanEnv({
      MILLRACE_URL: `http://127.0.0.1:${port}`,
      MILLRACE_API_KEY: key,
      XDG_STATE_HOME: home,
      XDG_CONFIG_HOME: home,
    }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Events, not time: a slow machine is killed at the same places as a fast one. */
function afterEvents(run: ChildProcess, count: number): Promise<void> {
  let seen = 0;
  return new Promise((resolve) => {
    run.stdout?.on('data', (data: Buffer) => {
      for (const byte of data) if (byte === 10) seen += 1;
      if (seen >= count) resolve();
    });
  });
}

/** The manifest without the times, which differ from run to run. */
function outcome(place: Project): Record<string, string> {
  const tree = place.tree();
  const yaml = tree['millrace.yaml']!.replaceAll(/"?appliedAt"?: *"?[^",\n]*"?/g, 'appliedAt');
  return { ...tree, 'millrace.yaml': yaml };
}

beforeAll(async () => {
  const database = await createTestDatabase();
  databaseUrl = database.url;
  removeDatabase = () => database.drop();
  home = mkdtempSync(join(tmpdir(), 'millrace-home-'));
  port = await freePort();
  await startServer();
  const created = await runCli(
    ['api-keys', 'create', '--email', 'runs@example.com', '--json'],
    serverEnv() as Record<string, string>,
  );
  key = (JSON.parse(created.stdout) as { key: string }).key;
});

afterAll(async () => {
  await endSurely(server);
  for (const place of projects) place.remove();
  rmSync(home, { recursive: true, force: true });
  await removeDatabase();
});

function project(): Project {
  const place = createProject(manifest());
  projects.push(place);
  return place;
}

it('the files and the manifest are the same whatever was killed, and nothing is paid for twice', async () => {
  const calm = project();
  const first = startRun(calm);
  first.stdout?.resume();
  const [code] = (await once(first, 'exit')) as [number];
  expect(code).toBe(0);
  const expected = outcome(calm);
  const next = moments(20261115);
  let kills = 0;
  for (let round = 0; kills < KILLS; round++) {
    expect(round, 'too many runs for so few kills').toBeLessThan(KILLS);
    const place = project();
    for (;;) {
      const run = startRun(place);
      const ended = once(run, 'exit') as Promise<[number | null]>;
      const target = kills % 3;
      const moment = afterEvents(run, Math.floor(next() * MOST_EVENTS));
      const isOver = await Promise.race([ended.then(() => true), moment]);
      if (isOver === true) {
        const [ending] = await ended;
        expect(ending, `round ${round}, after ${kills} kills`).toBe(0);
        break;
      }
      kills += 1;
      if (target !== 1) await endSurely(run);
      if (target !== 0) {
        await endSurely(server);
        await startServer();
      }
      if (target === 1) {
        // The command lives on, finds the server again and goes on by itself.
        const [ending] = await ended;
        if (ending === 0) break;
        expect(ending).toBe(6);
      }
    }
    expect(outcome(place), `round ${round}`).toEqual(expected);
  }
  expect(kills).toBeGreaterThanOrEqual(KILLS);
  const db = openDb({ url: databaseUrl, poolSize: 1, silenceMs: PATIENT_MS });
  try {
    const { rows } = await db.query(
      'select run_id, stream_id from jobs group by 1, 2 having count(*) > 1',
    );
    expect(rows, 'streams that were submitted twice').toEqual([]);
  } finally {
    await db.close();
  }
});
