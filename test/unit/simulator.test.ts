import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseArtifact } from '../../src/domain/artifact/parse-artifact.ts';
import type { ProviderRequest } from '../../src/providers/provider.ts';
import { createProviders } from '../../src/providers/registry.ts';
import { createSimulator } from '../../src/providers/simulator/simulator.ts';
import { aRequest, fakeClock, runSimulator } from './simulator-run.ts';

describe('the answer', () => {
  test('is the same for the same model, prompt and stream, and differs otherwise', async () => {
    const { text } = await runSimulator();
    expect((await runSimulator()).text).toBe(text);
    for (const change of [{ model: 'sim-other' }, { prompt: 'Other.' }, { streamId: 'other' }]) {
      expect((await runSimulator(change)).text).not.toBe(text);
    }
  });

  test('says that it is simulated and ends with an artifact for the stream', async () => {
    const { text, outcome } = await runSimulator({ streamId: 'auth:login' });
    expect(text).toMatch(/^This answer is simulated by sim-instant; no model was called\. /);
    expect(outcome).toMatchObject({ kind: 'completed', finish: 'stop' });
    expect(parseArtifact(text, 'auth:login')).toMatchObject({
      kind: 'found',
      artifact: { streamId: 'auth:login', filesChanged: ['millrace-sim/auth-login.md'] },
    });
  });

  test.each([
    ['owns: src/a.ts, `src/b.json`', ['src/a.ts', 'src/b.json']],
    ['Owned files:\n- docs/a.md\n* b.py\n\n- not this', ['docs/a.md', 'b.py']],
    ['owns: old.ts\n\n## Owned files: new.ts', ['new.ts']],
    ['owns: [src/auth/**, lib/*.ts]', ['src/auth/s1.md', 'lib/s1.ts']],
    ['owns: src/, test/unit/', ['src/s1.md', 'test/unit/s1.md']],
    ['owns: ../escape.ts, ok.ts', ['ok.ts']],
    ['owns: .git/config', ['millrace-sim/s1.md']],
  ])('writes the files that %j names', async (line, files) => {
    const { text } = await runSimulator({ prompt: `Context.\n${line}\nDo it.`, streamId: 's1' });
    expect(parseArtifact(text, 's1')).toMatchObject({ artifact: { filesChanged: files } });
  });

  test('gives a file that the prompt shows a new text instead of creating it', async () => {
    const prompt = 'File: src/a.ts\n```ts\nold\n```\nowns: src/a.ts, src/b.ts';
    const { text } = await runSimulator({ prompt, streamId: 's1' });
    const parsed = parseArtifact(text, 's1');
    const kinds = parsed.kind === 'found' && parsed.artifact.operations.map(({ type }) => type);
    expect(kinds).toEqual(['edit', 'create']);
  });

  test('a stream named like a device still gets a file', async () => {
    const { text } = await runSimulator({ streamId: 'con' });
    expect(parseArtifact(text, 'con').kind).toBe('found');
  });

  test('stops at maxTokens with exactly that many output tokens', async () => {
    const whole = await runSimulator();
    const cut = await runSimulator({ maxTokens: 7 });
    expect(cut.outcome).toMatchObject({ finish: 'length', usage: { output: 7 } });
    expect(whole.text.startsWith(cut.text)).toBe(true);
    const output = whole.outcome.usage.output;
    const exact = await runSimulator({ maxTokens: output });
    expect(exact.outcome).toMatchObject({ finish: 'stop', usage: { output } });
  });
});

describe('the pace', () => {
  test.each([
    ['sim-instant', 0],
    ['sim-fast', 5 + 49 * 5],
    ['sim-standard', 40 + 49 * 50],
    ['sim-whatever', 40 + 49 * 50],
    ['sim-slow', 300 + 166 * 150],
    ['sim-demo', 1500 + 166 * 400],
  ])('%s takes %d ms for 500 tokens', async (model, expected) => {
    const clock = fakeClock();
    const prompt = '[[sim:tokens 500]]';
    const { outcome } = await runSimulator({ model, prompt, clock });
    expect(outcome.usage.output).toBe(500);
    expect(clock.now()).toBe(expected);
  });

  test('a late timer sends one larger chunk instead of many', async () => {
    const clock = fakeClock({ late: 1000 });
    const { chunks } = await runSimulator({
      model: 'sim-standard',
      prompt: '[[sim:tokens 500]]',
      clock,
    });
    expect(chunks.length).toBeLessThan(6);
  });

  test('without a pace no timer is set for an ordinary answer', async () => {
    const clock = fakeClock();
    await runSimulator({ clock });
    expect(clock.sleeps()).toBe(0);
  });
});

describe('cancelling', () => {
  afterEach(() => vi.useRealTimers());

  test('stops at once in the middle of the answer and counts what was sent', async () => {
    const controller = new AbortController();
    const simulator = createSimulator();
    let text = '';
    const request = aRequest({
      model: 'sim-slow',
      prompt: '[[sim:tokens 100000]] [[sim:delay 0]]',
      signal: controller.signal,
    });
    // They never fire: only the abort can wake what sleeps.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const outcome = await simulator.run(request, (delta) => {
      text += delta;
      // Between two chunks: the simulator is asleep when this comes.
      setImmediate(() => controller.abort());
    });
    expect(outcome).toMatchObject({ kind: 'aborted', usage: { output: 3 } });
    expect(outcome.usage.input).toBeGreaterThan(0);
    expect(text).toBe('This answer is');
  });

  test('an abort from within the reader stops an answer without a pace', async () => {
    const controller = new AbortController();
    const request = aRequest({ prompt: '[[sim:tokens 100000]]', signal: controller.signal });
    const outcome = await createSimulator().run(request, () => controller.abort());
    expect(outcome).toMatchObject({ kind: 'aborted', usage: { output: 32 } });
  });

  test('a call that is cancelled before it begins costs nothing', async () => {
    const { outcome } = await runSimulator({ signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ kind: 'aborted', usage: { input: 0, output: 0 } });
  });
});

describe('usage and cost', () => {
  const parts = {
    systemContent: 'You are careful. '.repeat(400),
    projectContext: 'The project has files. '.repeat(400),
    streamContext: 'The stream is small. ',
    taskContent: 'Do it.',
  };
  const cached: Partial<ProviderRequest> = { prompt: Object.values(parts).join(''), parts };

  test('prefixes are written once and read afterwards, per owner and model', async () => {
    const simulator = createSimulator();
    const first = await runSimulator({ ...cached, simulator });
    const again = await runSimulator({ ...cached, simulator });
    const { input, cacheWrite } = first.outcome.usage;
    expect(first.outcome.usage.cacheRead).toBe(0);
    expect(cacheWrite).toBeGreaterThan(2048);
    expect(cacheWrite).toBeLessThan(input);
    expect(again.outcome.usage).toMatchObject({ input, cacheRead: cacheWrite, cacheWrite: 0 });
    for (const other of [{ ownerId: 'other' }, { model: 'sim-other' }]) {
      const { outcome } = await runSimulator({ ...cached, ...other, simulator });
      expect(outcome.usage.cacheRead).toBe(0);
    }
    expect(simulator.costUsd('sim-x', again.outcome.usage)).toBeLessThan(
      simulator.costUsd('sim-x', first.outcome.usage) ?? 0,
    );
  });

  test('a changed later part still reads the prefix before it', async () => {
    const simulator = createSimulator();
    await runSimulator({ ...cached, simulator });
    const changed = { ...parts, projectContext: 'Something else. '.repeat(400) };
    const { outcome } = await runSimulator({ parts: changed, simulator });
    expect(outcome.usage.cacheRead).toBeGreaterThanOrEqual(1024);
    expect(outcome.usage.cacheWrite).toBeGreaterThan(1024);
  });

  test('short prefixes, prompts without parts and prefixes of long ago are not cached', async () => {
    const clock = fakeClock();
    const simulator = createSimulator({ clock });
    const short = { ...parts, systemContent: 'Hi.', projectContext: '', streamContext: '' };
    for (const request of [{ parts: short }, { prompt: cached.prompt ?? '' }]) {
      await runSimulator({ ...request, simulator });
      const { outcome } = await runSimulator({ ...request, simulator });
      expect(outcome.usage).toMatchObject({ cacheRead: 0, cacheWrite: 0 });
    }
    await runSimulator({ ...cached, simulator });
    await clock.sleep(5 * 60_000);
    const { outcome } = await runSimulator({ ...cached, simulator });
    expect(outcome.usage.cacheRead).toBe(0);
  });

  test('the cost follows the price row', () => {
    const million = 1_000_000;
    const usage = {
      input: 4 * million,
      output: million,
      cacheRead: million,
      cacheWrite: 2 * million,
      estimated: false,
    };
    expect(createSimulator().costUsd('sim-x', usage)).toBeCloseTo(3 + 15 + 0.3 + 7.5, 10);
  });

  test('the largest prompt is counted without holding up the node', async () => {
    const { outcome } = await runSimulator({ prompt: 'word, '.repeat(700_000) });
    expect(outcome.usage.input).toBeGreaterThan(700_000);
    expect(outcome.usage.input).toBeLessThan(4_000_000);
  });
});

test('the registry has the simulator only where it is switched on', () => {
  expect(createProviders({ simulator: true }).find('simulator')).toMatchObject({ simulated: true });
  expect(createProviders({ simulator: false }).find('simulator')).toBeUndefined();
  expect(createProviders({ simulator: true }).find('anthropic')).toBeUndefined();
});
