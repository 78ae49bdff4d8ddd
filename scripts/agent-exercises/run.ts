// `node scripts/agent-exercises/run.ts`: twenty small exercises by the built-in agent and by answers, with a scripted model
// on this machine and a server of their own. Prints what passed, and what each way took.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startScriptedModel } from '../../test/support/scripted-model.ts';
import { EXERCISES, sourceOf, testOf } from './exercises.ts';
import { solve } from './scripted-solver.ts';

const MILLRACE = fileURLToPath(new URL('../../millrace', import.meta.url));

const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-exercises-')));
const model = await startScriptedModel();
model.answer(solve);
const env = {
  PATH: process.env['PATH'],
  HOME: join(folder, 'home'),
  MILLRACE_OPENAI_BASE_URL: model.url,
};
mkdirSync(env.HOME);

function projectFor(agent: string): string {
  const root = join(folder, agent);
  for (const name of ['src', 'test']) mkdirSync(join(root, name), { recursive: true });
  const streams = Object.fromEntries(
    EXERCISES.map(({ id, task }) => [
      id,
      {
        name: id,
        owns: [`src/${id}.mjs`],
        reads: [`test/${id}.test.mjs`],
        plan: `Exercise ${id}: ${task}`,
        verify: [`node test/${id}.test.mjs`],
      },
    ]),
  );
  const manifest = { feature: 'exercises', model: 'gpt-6-luna', agent, streams };
  writeFileSync(join(root, 'millrace.yaml'), JSON.stringify(manifest));
  for (const each of EXERCISES) {
    writeFileSync(join(root, 'src', `${each.id}.mjs`), sourceOf(each));
    writeFileSync(join(root, 'test', `${each.id}.test.mjs`), testOf(each));
  }
  return root;
}

async function millrace(cwd: string, ...args: string[]): Promise<string> {
  const child = spawn(MILLRACE, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return output;
}

interface Totals {
  type: string;
  stream?: string;
  tokens?: { input: number; output: number };
  costUsd?: number | null;
}

async function measure(agent: string): Promise<void> {
  const root = projectFor(agent);
  const before = model.calls.length;
  const since = performance.now();
  const output = await millrace(root, 'run', '--yes', '--json', '--sandbox-commands');
  const seconds = (performance.now() - since) / 1000;
  const events = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Totals);
  const passed = EXERCISES.filter(({ id }) =>
    events.some(
      ({ type, stream }) =>
        type === 'stream.completed' && (stream === id || stream?.startsWith(`${id}-fix-`)),
    ),
  );
  const sum = (of: (event: Totals) => number) =>
    events
      .filter(({ type }) => type === 'stream.answer')
      .reduce((total, event) => total + of(event), 0);
  const input = sum(({ tokens }) => tokens?.input ?? 0);
  const out = sum(({ tokens }) => tokens?.output ?? 0);
  const cost = sum(({ costUsd }) => costUsd ?? 0);
  const calls = model.calls.length - before;
  console.log(
    `${agent.padEnd(7)} ${passed.length} of ${EXERCISES.length} passed, ${calls} calls, ${input} tokens in, ${out} out, $${cost.toFixed(4)}, ${seconds.toFixed(1)} s`,
  );
  if (passed.length < EXERCISES.length) process.exitCode = 1;
}

try {
  for (const agent of ['loop', 'answer']) await measure(agent);
} finally {
  await model.close();
  rmSync(folder, { recursive: true, force: true });
}
