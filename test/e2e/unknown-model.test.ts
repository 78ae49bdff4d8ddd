// A model that no provider can have is refused before anything starts, with those that may have been meant.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { modelFactWarnings } from '../../src/cli/commands/manifests/model-warnings.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { factsOf } from '../../src/domain/model/model-facts.ts';
import { nearestIds } from '../../src/domain/model/nearest-ids.ts';
import { runCli } from '../support/cli.ts';
import { useServer } from '../support/use-server.ts';
import { createRunProject, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';

const server = useServer();
const local = useServer({ defaultProvider: 'openai' });
let project: RunProject;
beforeEach(async () => {
  project = await createRunProject(server());
  await project.write('m.yaml', manifestOf([{ id: 'a' }]));
});
afterEach(() => project.remove());

it('gtp-5 is refused by plan, by a run and by a job, which name gpt-5', async () => {
  for (const command of [
    ['plan', 'm.yaml', '--model', 'gtp-5'],
    ['run', 'm.yaml', '--yes', '--model', 'gtp-5'],
    ['run', 'm.yaml', '--dry-run', '--model', 'gtp-5'],
    ['job', 'run', '--model', 'gtp-5', '--prompt', 'Say hello'],
  ]) {
    const { code, stdout, stderr } = await project.millrace(command);
    expect(code, command.join(' ')).toBe(EXIT.usage);
    expect(stderr, command.join(' ')).toMatch(/Did you mean gpt-5\b/);
    expect(stdout).toBe('');
  }
  expect((await project.millrace(['runs', '--json'])).stdout).toBe('{"runs":[],"total":0}\n');
});

it('a model of a server of one’s own stays usable, with its provider or by the server’s default', async () => {
  const named = await project.millrace(['plan', 'm.yaml', '--model', 'openai:my-llama']);
  expect([named.code, named.stderr]).toEqual([0, '']);
  const unnamed = await project.millrace(['plan', 'm.yaml', '--model', 'my-llama']);
  expect(unnamed.code).toBe(0);
  expect(unnamed.stderr).toContain('MODEL_NOT_KNOWN');

  // Only the server can tell: one refuses it before the run starts, the other one has a provider for it.
  const refused = await project.millrace(['run', 'm.yaml', '--yes', '--model', 'my-llama']);
  expect(refused.code).toBe(EXIT.usage);
  expect(refused.stderr).toContain('Unknown model "my-llama"');
  const { key } = await local().createKey();
  const asked = ['run', 'm.yaml', '--yes', '--model', 'my-llama'];
  const there = { MILLRACE_URL: local().url, MILLRACE_API_KEY: key };
  const through = await project.millrace(asked, there);
  expect(through.stderr).not.toContain('Unknown model');
  expect(through.stderr).toMatch(/started +run_/);
});

it('a new model of a vendor goes through, and one that looks like a slip with a warning', async () => {
  const fresh = await project.millrace(['plan', 'm.yaml', '--model', 'claude-quartz-12']);
  expect([fresh.code, fresh.stderr]).toEqual([0, '']);
  const slip = await project.millrace(['plan', 'm.yaml', '--model', 'gpt-4oo']);
  expect(slip.code).toBe(0);
  expect(slip.stderr).toMatch(/MODEL_NOT_KNOWN "gpt-4oo".*Did you mean gpt-4o/);
});

it('plan names what is known of a model before it is asked', async () => {
  const retired = await project.millrace(['plan', 'm.yaml', '--model', 'o4-mini']);
  expect(retired.code).toBe(0);
  expect(retired.stderr).toContain('MODEL_RETIRED o4-mini is retired');
  await project.write('thinks.yaml', `${manifestOf([{ id: 'a' }])}\nreasoning: high\n`);
  const thinks = await project.millrace(['plan', 'thinks.yaml', '--model', 'gpt-4o']);
  expect(thinks.stderr).toMatch(/REASONING_IGNORED \S+ asks for reasoning, but gpt-4o/);
  const able = await project.millrace(['plan', 'thinks.yaml', '--model', 'claude-opus-5-5']);
  expect([able.code, able.stderr]).toEqual([0, '']);
});

it.each(['claude-haiku-5-5', 'gpt-6-luna', 'gemini-3.5-flash-lite'])(
  'the cheapest current model of a vendor has a price: %s',
  async (model) => {
    expect(factsOf(model)?.status).toBe('current');
    const planned = await project.millrace(['plan', 'm.yaml', '--model', model, '--json']);
    const { totals } = JSON.parse(planned.stdout) as { totals: { costUsd: number | null } };
    expect(totals.costUsd).toBeGreaterThan(0);
    // It is refused for a key that is not there, not for its price.
    const asked = ['run', 'm.yaml', '--yes', '--model', model, '--max-cost', '1'];
    expect((await project.millrace(asked)).stderr).not.toMatch(/price/i);
  },
);

it('a price that was looked up long ago is named as such', () => {
  const asked = [{ id: 'a', model: 'claude-opus-5-5' }];
  const readOn = Date.parse(factsOf('claude-opus-5-5')!.source.read);
  const after = (days: number) => new Date(readOn + days * 86_400_000);
  expect(modelFactWarnings(asked, after(180))).toEqual([]);
  const [old] = modelFactWarnings(asked, after(181));
  expect(old).toMatchObject({ code: 'PRICE_OLD' });
});

it('ids that were meant are near, and those that are known are not corrected', () => {
  const known = ['gpt-5', 'gpt-5-mini', 'claude-opus-4-8', 'o3'];
  expect(nearestIds('gtp-5', known)).toEqual(['gpt-5']);
  expect(nearestIds('Claude-Opus-4.8', known)).toEqual(['claude-opus-4-8']);
  expect(nearestIds('gpt-5', known)).toEqual([]);
  expect(nearestIds('llama', known)).toEqual([]);
});

it.each([
  ['nonsense --help', "unknown command 'nonsense'"],
  ['-C . nonsense -h', "unknown command 'nonsense'"],
  ['keys nonsense --help', "unknown command 'nonsense'"],
  ['rnu --help', '(Did you mean run?)'],
])('millrace %s is no help but an unknown command', async (words, text) => {
  const { code, stdout, stderr } = await runCli(words.split(' '));
  expect(code).toBe(EXIT.usage);
  expect(stderr).toContain(text);
  expect(stdout).toBe('');
});
