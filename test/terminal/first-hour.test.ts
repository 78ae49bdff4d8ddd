// What a person sees in the first hour, in the order of the README, on a terminal of 80 by 24.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { expectScreen, normalised } from './first-hour-screens.ts';
import { startInPty } from './pty.ts';
import type { PtyRun } from './pty.ts';
import { fromRoot } from '../pins/tree.ts';
import { PATIENT_MS } from '../support/database-mode.ts';

const SIZE = { columns: 80, rows: 24 };
const TYPESCRIPT = {
  'package.json': '{ "name": "shop", "scripts": { "test": "node --test" } }\n',
  'tsconfig.json': '{}\n',
  'src/cart.ts': 'export const total = 0;\n',
};
const PYTHON = { 'pyproject.toml': '[project]\nname = "stats"\n', 'stats/mean.py': 'x = 0\n' };

const PROJECTS: Record<string, Record<string, string>> = {
  shop: TYPESCRIPT,
  stats: PYTHON,
  empty: {},
};

let base: string;
let database: TestDatabase;
let server: PtyRun;
let settings: Record<string, string>;
const started: PtyRun[] = [];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hour-'));
  database = await createTestDatabase();
  settings = {
    DATABASE_URL: database.url,
    XDG_CONFIG_HOME: join(base, 'config'),
    XDG_STATE_HOME: join(base, 'state'),
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    CI: '',
  };
  for (const [name, files] of Object.entries(PROJECTS)) {
    await mkdir(join(base, name));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(base, name, path, '..'), { recursive: true });
      await writeFile(join(base, name, path), text);
    }
  }
  server = start('', ['serve', '--port', '0']);
});
afterAll(async () => {
  for (const run of started) if (run !== server) run.kill();
  server.type('\u0003');
  await Promise.all(started.map(({ ended }) => ended));
  await database.drop();
  await rm(base, { recursive: true, force: true });
});

function start(project: string, args: readonly string[]): PtyRun {
  const run = startInPty({ folder: join(base, project), settings }, args, SIZE, {
    isInside: true,
  });
  started.push(run);
  return run;
}

async function screenOf(run: PtyRun): Promise<string> {
  return normalised(await run.unbroken(), { [base]: '~', [fromRoot('millrace')]: 'millrace' });
}

/** Runs it to its end and compares all that it showed. */
async function see(
  name: string,
  project: string,
  args: readonly string[],
  { code = 0, answer }: { code?: number; answer?: string } = {},
): Promise<void> {
  const run = start(project, args);
  if (answer !== undefined) {
    await run.waitFor(/\[y\/N\]/);
    run.type(`${answer}\r`);
  }
  expect(await run.ended, (await run.lines()).join('\n')).toBe(code);
  expectScreen(name, await screenOf(run));
}

it('a server and a key', async () => {
  await server.waitFor(/ctrl-c to stop/);
  expectScreen('01-serve', await screenOf(server));
  settings['MILLRACE_URL'] = /http:\/\/127\.0\.0\.1:\d+/.exec(server.raw())![0];
  const made = start('empty', ['api-keys', 'create', '--email', 'you@example.com']);
  expect(await made.ended).toBe(0);
  expectScreen('02-key', await screenOf(made));
  await see('03-no-key', 'empty', ['history'], { code: 2 });
  settings['MILLRACE_API_KEY'] = /mill_sk_\w+/.exec(made.raw())![0];
});

it('a project of one’s own: TypeScript, Python, and an empty folder', async () => {
  await see('10-init-typescript', 'shop', ['init'], { answer: 'n' });
  await see('11-validate-unedited', 'shop', ['validate']);
  await see('12-init-python', 'stats', ['init'], { answer: 'n' });
  await see('13-init-empty', 'empty', ['init', '--template', 'feature']);
  await see('14-plan-empty', 'empty', ['plan', '--model', 'sim-instant']);
});

const FEATURE = `feature: Checkout
model: sim-fast
streams:
  cart:
    name: A cart
    owns: [out/cart.md]
    plan: Write about the cart.
  pay:
    name: Payment
    deps: [cart]
    owns: [out/pay.md]
    plan: |
      Write about payment.
    verify: ["test -f checked || { touch checked; echo 'the total is wrong'; exit 1; }"]
`;

it('a run in which a stream fails and is fixed, and a look at it', async () => {
  await writeFile(join(base, 'shop/checkout.yaml'), FEATURE);
  await see('20-plan', 'shop', ['plan', 'checkout.yaml']);
  const run = start('shop', ['run', 'checkout.yaml']);
  await run.waitFor(/\[y\/N\]/);
  run.type('y\r');
  expect(await run.ended).toBe(0);
  expectScreen('21-run', await screenOf(run));
  await see('22-run-again', 'shop', ['run', 'checkout.yaml']);
  expect(await readFile(join(base, 'shop/out/pay.md'), 'utf8')).not.toBe('');
});

it('a run that is stopped and resumed', async () => {
  const slow = FEATURE.replace(/ {4}verify.*\n/, '')
    .replace('about payment.', 'about payment. [[sim:hang]]')
    .replaceAll('out/', 'slow/');
  await writeFile(join(base, 'shop/slow.yaml'), slow);
  const run = start('shop', ['run', 'slow.yaml']);
  // Until the call is under way: only then is there something to cancel.
  await run.waitFor(/✓ cart [^]* pay +0 tok .*[1-9]\.\ds/);
  run.type('\u0003');
  expect(await run.ended).toBe(130);
  expectScreen('30-stopped', await screenOf(run));
  const left = await readFile(join(base, 'shop/slow.yaml'), 'utf8');
  await writeFile(join(base, 'shop/slow.yaml'), left.replace(' [[sim:hang]]', ''));
  await see('31-resumed', 'shop', ['run', 'slow.yaml']);
});

async function findExecution(): Promise<string> {
  const db = openDb({ url: database.url, poolSize: 1, silenceMs: PATIENT_MS });
  try {
    const { rows } = await db.query<{ id: string }>('select id from executions where not dry_run');
    return rows[0]!.id;
  } finally {
    await db.close();
  }
}

it('a job and an execution', async () => {
  const reply = 'Say hello [[sim:reply]]Hello.[[/sim:reply]]';
  await see('40-job', 'shop', ['job', 'run', '--model', 'sim-fast', '--prompt', reply]);
  await see('41-no-provider-key', 'shop', ['job', 'run', '--model', 'gpt-5', '--prompt', 'x'], {
    code: 2,
  });
  await see('42-exec-dry-run', 'shop', ['exec', 'Add a cart', '--dry-run', '--model', 'sim-fast']);
  await see('43-exec', 'shop', ['exec', 'Add a cart', '--model', 'sim-fast']);
  await see('44-exec-list', 'shop', ['exec', 'list', '--limit', '1']);
  await see('45-history', 'shop', ['history', '--limit', '1']);
  const id = await findExecution();
  await see('46-exec-diff', 'shop', ['diff', id, '--stat']);
  await see('47-exec-apply', 'shop', ['apply', id]);
  await see('48-exec-revert', 'shop', ['revert', id]);
});
