// How long an assistant waits for the tools when a session starts, and what they hold while nobody
// calls them, beside a bare server of the same SDK.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { now } from '../harness/clock.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BARE = join(ROOT, 'bench', 'rivals', 'bare-tools', 'server.mjs');
const SPAWNS = 15;
const BESIDE: Record<string, string> = {
  bare: 'bare SDK server',
  bareBundled: 'the same, bundled',
  bareCached: 'bundled, with compile cache',
};

interface Start {
  initializeMs: number;
  listMs: number;
  /** Undefined where the system does not say. */
  rssMiB: number | undefined;
  pssMiB: number | undefined;
}

interface Rival {
  command: string[];
  env?: NodeJS.ProcessEnv;
}

function memoryOf(pid: number): Pick<Start, 'rssMiB' | 'pssMiB'> {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const mib = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024;
    return { rssMiB: mib('Rss'), pssMiB: mib('Pss') };
  } catch {
    return { rssMiB: undefined, pssMiB: undefined };
  }
}

async function start({ command: [program = '', ...args], env }: Rival): Promise<Start> {
  const startedAt = now();
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const { done } = await lines.next();
    if (done) throw new Error(`${program} ended without an answer`);
    return now() - startedAt;
  };
  const clientInfo = { name: 'bench', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const initializeMs = await ask({ id: 1, method: 'initialize', params });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const listMs = await ask({ id: 2, method: 'tools/list' });
  const memory = memoryOf(child.pid!);
  child.stdin.end();
  await ended;
  return { initializeMs, listMs, ...memory };
}

/** In turns, so that whatever else the machine does meets all of them. */
async function startAll<N extends string>(rivals: Record<N, Rival>): Promise<Record<N, Start[]>> {
  const names = Object.keys(rivals) as N[];
  const starts = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    N,
    Start[]
  >;
  // The first start fills caches.
  for (const name of names) await start(rivals[name]);
  for (let i = 0; i < SPAWNS; i++) {
    for (const name of names) starts[name].push(await start(rivals[name]));
  }
  return starts;
}

export async function measureToolsStart(): Promise<Figure[]> {
  const built = spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the build failed');
  const folder = tempFolder('tools');
  const bundled = join(folder.path, 'bare.mjs');
  await build({
    entryPoints: [BARE],
    outfile: bundled,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  const home = { HOME: folder.path, XDG_CACHE_HOME: folder.path };
  const node = process.execPath;
  const starts = await startAll({
    installed: { command: [node, join(ROOT, 'dist', 'main.js'), 'mcp'], env: home },
    uncached: {
      command: [node, join(ROOT, 'dist', 'main.js'), 'mcp'],
      env: { ...home, NODE_DISABLE_COMPILE_CACHE: '1' },
    },
    checkout: { command: [join(ROOT, 'millrace'), 'mcp'], env: home },
    bare: { command: [node, BARE] },
    bareBundled: { command: [node, bundled] },
    bareCached: {
      command: [node, bundled],
      env: { NODE_COMPILE_CACHE: join(folder.path, 'bare') },
    },
  });
  folder.remove();
  type Name = keyof typeof starts;
  const of = (name: Name, field: keyof Start) =>
    median(starts[name].map((each) => each[field] ?? Number.NaN));
  const figure = (what: string, field: keyof Start, ours: Name, theirs: Name): Figure => ({
    id: 'tools',
    what,
    value: of(ours, field),
    unit: field.endsWith('Ms') ? 'ms' : 'MiB',
    beside: { what: BESIDE[theirs] ?? theirs, value: of(theirs, field) },
    // Whether a server beside us is cached is up to whoever starts it.
    ...(ours !== 'uncached' && theirs !== 'bareCached' && { goal: { ratioAtMost: 1.5 } }),
  });
  return [
    figure('`millrace mcp` to initialize', 'initializeMs', 'installed', 'bare'),
    figure('the same', 'initializeMs', 'installed', 'bareBundled'),
    figure('the same', 'initializeMs', 'installed', 'bareCached'),
    figure('the same, without compile cache', 'initializeMs', 'uncached', 'bareBundled'),
    figure('to tools/list', 'listMs', 'installed', 'bare'),
    figure('the same', 'listMs', 'installed', 'bareBundled'),
    figure('to tools/list, in a checkout', 'listMs', 'checkout', 'bare'),
    figure('idle memory, RSS', 'rssMiB', 'installed', 'bare'),
    figure('idle memory, PSS', 'pssMiB', 'installed', 'bare'),
    figure('the same', 'pssMiB', 'installed', 'bareBundled'),
  ];
}
