import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProviderFacts } from '../../src/domain/model/facts-schema.ts';
import { SHIPPED_FACTS, useFacts } from '../../src/domain/model/model-facts.ts';
import { installFacts } from '../../src/providers/installed-facts.ts';
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

describe('models --update', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-models-'))));
  afterEach(() => {
    rmSync(folder, { recursive: true });
    // For the tests that run in this process after them.
    useFacts([]);
  });

  const shipped = SHIPPED_FACTS.find(({ provider }) => provider === 'anthropic')!;
  /** As if it were looked up tomorrow, with one price changed, one model gone and one new. */
  function newer(): ProviderFacts {
    const [first, , ...others] = structuredClone(shipped.models);
    const changed = { ...first!, source: { ...first!.source, read: '2099-01-01' } };
    changed.prices = [{ input: 3, output: 9 }];
    const added = {
      ...structuredClone(changed),
      ids: ['claude-quartz-1'],
      name: 'Claude Quartz 1',
    };
    return { provider: 'anthropic', models: [changed, added, ...others] };
  }
  const write = (content: unknown) => {
    const path = join(folder, 'new.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const update = (from: string, ...more: string[]) =>
    models(['--update', from, ...more], { MILLRACE_DATA_DIR: folder });
  const inputOf = async (id: string) =>
    (await listed([id], { MILLRACE_DATA_DIR: folder })).find((model) => model.id === id)
      ?.pricePerMillion.inputUsd;

  it('shows what changes, and changes nothing unless that is confirmed', async () => {
    const { code, stdout } = await update(write(newer()));
    expect(code).toBe(2);
    expect(stdout).toContain('+ claude-quartz-1: $3 in, - cached, $9 out');
    expect(stdout).toContain(`- ${shipped.models[1]!.ids[0]}\n`);
    expect(stdout.match(/^~/gm)).toHaveLength(1);
    expect(stdout).toMatch(/^~ claude-fable-5-2: price \$8 in.* -> \$3 in/m);
    expect(await inputOf('claude-fable-5-2')).toBe(8);

    expect((await update(write(newer()), '--yes')).code).toBe(0);
    expect(await inputOf('claude-fable-5-2')).toBe(3);
    expect(await inputOf('claude-quartz-1')).toBe(3);
    const again = await update(write(newer()), '--yes');
    expect([again.code, again.stdout]).toEqual([0, '']);
    expect(again.stderr).toContain('Nothing changes');
  });

  it('takes an address, and says what is wrong with one', async () => {
    const answers: Record<string, string> = {
      '/new.json': JSON.stringify(newer()),
      '/large.json': 'x'.repeat(5 * 1024 * 1024),
    };
    const server = createServer(({ url }, response) => {
      const text = answers[url!];
      response.statusCode = text === undefined ? 404 : 200;
      response.end(text);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      expect((await update(`${base}/gone.json`, '--yes')).stderr).toContain('answered 404');
      expect((await update(`${base}/large.json`, '--yes')).stderr).toContain('larger than 4 MiB');
      expect(await inputOf('claude-fable-5-2')).toBe(8);
      expect((await update(`${base}/new.json`, '--yes')).code).toBe(0);
      expect(await inputOf('claude-fable-5-2')).toBe(3);
    } finally {
      server.close();
      server.closeAllConnections();
    }
    const refused = await update(`${base}/new.json`, '--yes');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('Nothing was changed');
  });

  it.each([
    ['no JSON', 'not JSON'],
    [
      'a price that is no number',
      { ...newer(), models: [{ ...newer().models[0], prices: [{ input: 'x', output: 1 }] }] },
    ],
    [
      'an older one',
      {
        ...newer(),
        models: shipped.models.map((model) => ({
          ...model,
          source: { ...model.source, read: '2020-01-01', dated: undefined },
        })),
      },
    ],
    ['a provider that nobody knows', { ...newer(), provider: 'acme' }],
  ])('refuses %s', async (_, content) => {
    const { code, stderr, stdout } = await update(write(content), '--yes');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Nothing was changed');
    expect(existsSync(join(folder, 'models'))).toBe(false);
  });

  it('is left behind by a newer release', async () => {
    await installFacts(folder, { provider: 'anthropic', models: [] });
    expect(await inputOf('claude-fable-5-2')).toBe(8);
  });
});
