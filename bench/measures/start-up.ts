// P13 and P14: the time to a ready server, and what `--help` costs.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { now } from '../harness/clock.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** As people start it in a checkout. */
const COMMAND = fileURLToPath(new URL('../../millrace', import.meta.url));

async function secondsToReady(folder: string): Promise<number> {
  const startedAt = now();
  const args = ['serve', '--json', '--port', '0', '--data-dir', folder];
  const server = spawn(COMMAND, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const readyAt = await new Promise<number>((resolve, reject) => {
    server.stdout.on('data', (data: Buffer) => {
      if (data.toString().includes('"ready":true')) resolve(now());
    });
    server.once('exit', () => reject(new Error('the server ended before it was ready')));
  });
  server.kill('SIGTERM');
  await ended;
  return (readyAt - startedAt) / 1000;
}

export async function measureStartUp(): Promise<Figure[]> {
  const cold: number[] = [];
  const warm: number[] = [];
  for (let i = 0; i < 3; i++) {
    const { path: folder, remove } = tempFolder('data');
    cold.push(await secondsToReady(folder));
    warm.push(await secondsToReady(folder), await secondsToReady(folder));
    remove();
  }
  return [
    {
      id: 'P13',
      what: 'serve to ready, warm',
      value: median(warm),
      unit: 's',
      goal: { atMost: 2 },
    },
    {
      id: 'P13',
      what: 'serve to ready, empty data folder',
      value: median(cold),
      unit: 's',
      goal: { atMost: 5 },
    },
  ];
}

/** CPU milliseconds of a command, as the shell counts them. */
function cpuMs(args: string[], env: NodeJS.ProcessEnv = {}): number {
  const script = `TIMEFORMAT='%U %S'; time "$0" "$@" >/dev/null`;
  const result = spawnSync('bash', ['-c', script, process.execPath, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const [user = 0, system = 0] = result.stderr.trim().split('\n').at(-1)!.split(' ').map(Number);
  return (user + system) * 1000;
}

/** As it is installed (compiled), and as `./millrace` runs it in a checkout (cached). */
export async function measureHelp(): Promise<Figure[]> {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  if (build.status !== 0) throw new Error('the build failed');
  const cache = tempFolder('cache');
  const installed: number[] = [];
  const checkout: number[] = [];
  const bare: number[] = [];
  for (let i = 0; i < 12; i++) {
    installed.push(cpuMs([join(root, 'dist', 'main.js'), '--help']));
    checkout.push(cpuMs([MAIN, '--help'], { NODE_COMPILE_CACHE: cache.path }));
    bare.push(cpuMs(['-e', '0']));
  }
  cache.remove();
  const over = (what: string, values: number[]): Figure => ({
    id: 'P14',
    what: `--help, CPU over bare node, ${what}`,
    value: median(values) - median(bare),
    unit: 'ms',
    beside: { what: 'bare node, ms', value: median(bare) },
    goal: { atMost: 80 },
  });
  return [over('installed', installed), over('in a checkout', checkout)];
}
