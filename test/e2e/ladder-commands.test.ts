// A ladder of models on the command line: what `plan` says of it, what a budget asks of it, and what is said afterwards.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { feature, reply } from '../orchestrator/project.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer();
const folder = mkdtempSync(join(tmpdir(), 'millrace-ladder-'));
let settings: Record<string, string> = {};

beforeAll(async () => {
  const { key } = await server().createKey();
  settings = {
    MILLRACE_URL: server().url,
    MILLRACE_API_KEY: key,
    XDG_STATE_HOME: join(folder, 'state'),
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cli = (...args: string[]) => runHere(['-C', folder, ...args], settings);

function write(name: string, models: string[], more: object = {}): void {
  const api = { name: 'API', owns: ['a.txt'], plan: 'Write it.', verify: ['grep -q good a.txt'] };
  writeFileSync(join(folder, name), feature({ api: { ...api, ...more } }, { models }));
}

interface Bill {
  estimate: { costUsd: number };
  largestCall: { costUsd: number };
}

interface Plan {
  totals: { costUsd: number | null; unpriced: number; worstCase: { costUsd: number | null } };
  streams: { api: Bill & { model: string; rungs?: (Bill & { model: string })[] } };
}

async function planOf(...args: string[]): Promise<Plan> {
  const { code, stdout, stderr } = await cli('plan', ...args, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Plan;
}

describe('plan', () => {
  it('expects the first model to do, and adds every one to the worst case', async () => {
    write('ladder.yaml', ['gpt-6-luna', 'gpt-6.1-terra', 'claude-opus-5-5']);
    const alone = await Promise.all(
      ['gpt-6-luna', 'gpt-6.1-terra', 'claude-opus-5-5'].map(async (model) => {
        const { streams } = await planOf('ladder.yaml', '--model', model);
        expect(streams.api.rungs).toBeUndefined();
        return streams.api;
      }),
    );
    const { totals, streams } = await planOf('ladder.yaml');
    expect(streams.api.model).toBe('gpt-6-luna');
    expect(streams.api.rungs?.map(({ model }) => model)).toEqual([
      'gpt-6-luna',
      'gpt-6.1-terra',
      'claude-opus-5-5',
    ]);
    expect(totals.costUsd).toBeCloseTo(alone[0]!.estimate.costUsd, 9);
    const worst = alone.reduce((sum, { largestCall }) => sum + largestCall.costUsd, 0);
    expect(totals.worstCase.costUsd).toBeCloseTo(worst, 9);
    const { stdout } = await cli('plan', 'ladder.yaml');
    expect(stdout).toMatch(/then gpt-6\.1-terra \(\$[\d.]+\), claude-opus-5-5 \(\$[\d.]+\)/);
  });

  it('says what is wrong with any of the models', async () => {
    write('old.yaml', ['gpt-6-luna', 'claude-opus-4-1']);
    const { stdout, stderr } = await cli('plan', 'old.yaml');
    expect(stdout + stderr).toContain('claude-opus-4-1 is retired');
  });
});

describe('a budget', () => {
  it('needs a price of every model that may be asked', async () => {
    write('unpriced.yaml', ['gpt-6-luna', 'openai:my-own-model']);
    const { totals } = await planOf('unpriced.yaml');
    expect(totals.costUsd).not.toBeNull();
    expect(totals.worstCase.costUsd).toBeNull();
    expect(totals.unpriced).toBe(1);
    const run = ['run', 'unpriced.yaml', '--yes', '--max-cost', '1'];
    const { code, stderr } = await cli(...run);
    expect(code).not.toBe(0);
    expect(stderr).toContain('no price is known for openai:my-own-model');
    expect(stderr).toContain('MILLRACE_PRICES_FILE');
    // With one attempt nobody gets to it.
    const cut = await cli(...run, '--max-attempts', '1');
    expect(cut.stderr).not.toContain('no price is known');
  });
});

it('a run, explain and history say which model did it', async () => {
  const plan = `${reply({ 'a.txt': 'bad\n' })} ${reply({ 'a.txt': 'good\n' }, 'api-fix-1')}`;
  write('run.yaml', ['sim-instant', 'sim-standard'], { plan });
  const ran = await cli('run', 'run.yaml', '--yes');
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stdout).toContain('Completed by: sim-standard 1');
  expect(ran.stdout + ran.stderr).toContain('sim-standard (model 2 of 2)');
  expect((await cli('explain')).stdout).toContain('Completed by: sim-standard 1.');
  const { stdout } = await cli('history', '--json');
  const [{ id }] = (JSON.parse(stdout) as { items: [{ id: string }] }).items;
  const shown = await cli('history', id);
  expect(shown.stdout).toMatch(/complete +[\d,]+ +sim-standard +API/);
  expect(shown.stdout).toMatch(/complete +[\d,]+ +sim-standard +Fix 1 of API/);
});

it('explain says which models failed', async () => {
  write('fails.yaml', ['sim-instant', 'sim-standard'], { plan: reply({ 'a.txt': 'bad\n' }) });
  expect((await cli('run', 'fails.yaml', '--yes')).code).not.toBe(0);
  const { stdout } = await cli('explain');
  expect(stdout).toContain('api-fix-1 (failed, sim-standard), api-fix-2 (failed, sim-standard)');
});
