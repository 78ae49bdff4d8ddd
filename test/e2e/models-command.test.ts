import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { KnownModel } from '../../src/providers/model-list.ts';
import { runHere } from '../support/run-here.ts';

const models = (args: string[], env: Record<string, string> = {}) =>
  runHere(['models', ...args], env);

async function listed(args: string[], env: Record<string, string> = {}): Promise<KnownModel[]> {
  const { code, stdout } = await models([...args, '--json'], env);
  expect(code).toBe(0);
  return (JSON.parse(stdout) as { models: KnownModel[] }).models;
}

it('lists models with prices and limits in 80 columns, the simulator too', async () => {
  const { code, stdout, stderr } = await models([]);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^MODEL +INPUT +CACHED +OUTPUT +CONTEXT +MAX OUT +AGE$/);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(stdout).toMatch(/^claude-opus-5-5 +\$4\.00 +\$0\.20 +\$20\.00 +1M +64k +\d+d$/m);
  // Each current model before the first legacy one.
  expect(stdout).toMatch(/^anthropic\n(?:claude-.*\n){5}anthropic, legacy\n/m);
  expect(stdout).toMatch(/^claude-haiku-5-5 +\$0\.10\+ /m);
  expect(stderr).toContain('Long prompts cost more');
  expect(stdout).toMatch(/^sim-fast +\$3\.00 /m);
  expect(stdout).not.toMatch(/embedding|whisper|openrouter/);
  expect(stderr).toContain('models --provider openrouter');
});

it('takes words and a provider as filters', async () => {
  const claude = await listed(['claude', 'OPUS', '--provider', 'anthropic']);
  expect(claude.length).toBeGreaterThan(2);
  for (const { id, provider } of claude) {
    expect([id, provider]).toEqual([expect.stringMatching(/^claude-.*opus/), 'anthropic']);
  }
  const routed = await models(['--provider', 'openrouter']);
  expect(routed.stdout.split('\n').length).toBeGreaterThan(200);
  // Only a terminal has a width: no id is cut.
  expect(routed.stdout).not.toMatch(/~ /);
  const none = await models(['no-such-model']);
  expect([none.code, none.stdout]).toEqual([0, '']);
  expect(none.stderr).toContain('provider:model');
  expect((await models(['--provider', 'acme'])).code).toBe(2);
});

it("shows the operator's own prices, and models that only they have", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-prices-'));
  try {
    const file = join(folder, 'prices.json');
    const price = { input: 1, output: 2, cacheRead: 0.125 };
    writeFileSync(file, JSON.stringify({ 'openai:house-model': price, 'claude-opus-4-8': price }));
    const found = await listed([], { MILLRACE_PRICES_FILE: file });
    for (const id of ['house-model', 'claude-opus-4-8']) {
      expect(found.filter((model) => model.id === id)).toEqual([
        expect.objectContaining({
          pricePerMillion: { inputUsd: 1, outputUsd: 2, cachedInputUsd: 0.125 },
        }),
      ]);
    }
    const shown = await models(['house'], { MILLRACE_PRICES_FILE: file });
    expect(shown.stdout).toMatch(/^house-model +\$1\.00 +\$0\.125 +\$2\.00 +- +8k +-$/m);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
