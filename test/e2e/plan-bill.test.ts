// What `plan` says that the sample projects cost, against what their runs cost.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { TEMPLATES } from '../../src/cli/commands/manifests/init/templates.ts';
import { PLACEHOLDER } from '../../src/manifest/placeholder.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';

const SAMPLE = fileURLToPath(new URL('../../examples/bookshelf/', import.meta.url));
const server = useServer();
const folders: string[] = [];
let settings: Record<string, string> = {};

beforeAll(async () => {
  settings = { MILLRACE_URL: server().url, MILLRACE_API_KEY: (await server().createKey()).key };
});
afterEach(() => folders.splice(0).forEach((root) => rmSync(root, { recursive: true })));

interface Totals {
  costUsd: number;
  outputTokens: number;
}

/** The command in a copy of the sample project. */
function openSample() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bill-'));
  folders.push(folder);
  const root = join(folder, 'project');
  cpSync(SAMPLE, root, { recursive: true });
  const env = { ...settings, XDG_STATE_HOME: join(folder, 'state') };
  const cli = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere(['-C', root, ...args], env);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const totalsOf = (text: string) => (JSON.parse(text) as { totals: Totals }).totals;
  return {
    root,
    cli,
    /** How many times the bill the plan is. */
    async compare(file: string): Promise<number> {
      const model = ['--model', 'sim-instant'];
      const plan = totalsOf(await cli('plan', file, ...model, '--json'));
      const events = await cli('run', file, ...model, '--yes', '--json');
      const bill = totalsOf(events.trim().split('\n').at(-1)!);
      expect(bill.costUsd).toBeGreaterThan(0);
      return plan.costUsd / bill.costUsd;
    },
  };
}

function expectNear(ratio: number): void {
  expect(ratio).toBeGreaterThan(0.75);
  expect(ratio).toBeLessThan(1.25);
}

it.each(['feature.yaml', 'workflow.yaml'])(
  'the sample %s costs about what it says',
  async (file) => {
    // One of its streams is fixed, which nobody can know before.
    expectNear(await openSample().compare(file));
  },
);

it('of another model the answers are taken to be as long as in the last run', async () => {
  const { cli, compare } = openSample();
  const dry = ['run', 'workflow.yaml', '--from', 'licence', '--model', 'claude-opus-4-5'];
  const outputOf = async () => {
    const plan = JSON.parse(await cli(...dry, '--dry-run', '--json')) as { totals: Totals };
    return plan.totals.outputTokens;
  };
  expect(await outputOf()).toBe(500);
  await compare('workflow.yaml');
  expect(await outputOf()).toBeLessThan(100);
});

it.each(TEMPLATES)('the template %s costs about what it says', async (template) => {
  const { root, cli, compare } = openSample();
  await cli('init', 'made.yaml', '--template', template);
  const made = join(root, 'made.yaml');
  writeFileSync(made, readFileSync(made, 'utf8').replaceAll(PLACEHOLDER, 'Please'));
  expectNear(await compare('made.yaml'));
});
