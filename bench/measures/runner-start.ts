// P24: from the click in the dashboard to the first event of the run on a connected runner.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { now } from '../harness/clock.ts';
import { percentile } from '../harness/percentile.ts';
import type { Stage } from '../harness/stage.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import type { Figure } from '../report.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const REQUESTS = 25;
/** Caches are cold the first time. */
const UNCOUNTED = 5;
const LOOK_EVERY_MS = 10;
/** A click finds a runner that waits, not one that has just ended a run. */
const BETWEEN_MS = 1500;

const MANIFEST = `feature: click
model: sim-instant
streams:
  a:
    name: a
    owns: [a.txt]
    plan: Write a.
`;

export async function measureRunnerStart(stage: Stage): Promise<Figure[]> {
  const folder = tempFolder('runner');
  const root = join(folder.path, 'shop');
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'millrace.yaml'), MANIFEST);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Bench');
  git('config', 'user.email', 'bench@example.com');
  git('add', '.');
  git('commit', '-qm', 'start');
  const { rows } = await stage.db.query<{ id: string }>(
    `update api_keys set scopes = array['admin'] returning id`,
  );
  if (rows.length === 0) throw new Error('no key');
  const env = {
    ...process.env,
    MILLRACE_URL: stage.url,
    MILLRACE_API_KEY: stage.key,
    MILLRACE_STATE_DIR: join(folder.path, 'state'),
    MILLRACE_CONFIG_DIR: join(folder.path, 'config'),
  };
  const runner = spawn(process.execPath, [MAIN, 'runner', '--project', root, '--name', 'bench'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await new Promise<void>((resolve) => {
      runner.stdout.on('data', (text: Buffer) => {
        if (text.toString().includes('connected')) resolve();
      });
    });
    const times: number[] = [];
    for (let i = 0; i < REQUESTS; i += 1) {
      await delay(BETWEEN_MS);
      const askedAt = now();
      const work = { project: 'shop', manifest: { path: 'millrace.yaml' } };
      const { id } = await stage.call('POST', '/v1/run-requests', work);
      let runId: unknown = null;
      while (runId === null) {
        ({ runId } = await stage.call('GET', `/v1/run-requests/${String(id)}`));
        if (runId === null) await delay(LOOK_EVERY_MS);
      }
      if (i >= UNCOUNTED) times.push(now() - askedAt);
      let endedAt: unknown = null;
      while (endedAt === null) {
        ({ endedAt } = await stage.call('GET', `/v1/run-requests/${String(id)}?wait=20`));
      }
    }
    times.sort((a, b) => a - b);
    return [
      {
        id: 'P24',
        what: 'click to the first event of a run on a connected runner, p95',
        value: percentile(times, 0.95),
        unit: 'ms',
        goal: { atMost: 1000 },
      },
      { id: 'P24', what: 'the same, p50', value: percentile(times, 0.5), unit: 'ms' },
    ];
  } finally {
    const ended = new Promise((resolve) => runner.once('close', resolve));
    runner.kill('SIGTERM');
    await ended;
    folder.remove();
  }
}
