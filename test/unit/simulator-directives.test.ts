import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseArtifact } from '../../src/domain/artifact/parse-artifact.ts';
import type { FailureKind } from '../../src/providers/provider.ts';
import { DIRECTIVES } from '../../src/providers/simulator/directives.ts';
import { createSimulator } from '../../src/providers/simulator/simulator.ts';
import { fakeClock, runSimulator } from './simulator-run.ts';

// Written out here on purpose: a kind that is added to the interface must be added to this list too.
const RETRYABLE: Record<FailureKind, boolean> = {
  auth: false,
  billing: false,
  permission: false,
  model_not_found: false,
  bad_request: false,
  context_length: false,
  refused: false,
  rate_limit: true,
  overloaded: true,
  upstream: true,
  network: true,
  interrupted: true,
  protocol: true,
  timeout: true,
};

describe('failures', () => {
  test.each(Object.entries(RETRYABLE))(
    '[[sim:%s]] fails with that kind',
    async (kind, retryable) => {
      const { outcome, text } = await runSimulator({ prompt: `Please [[sim:${kind}]] now.` });
      expect(outcome).toMatchObject({ kind: 'failed', failure: { kind, retryable } });
      expect(text !== '').toBe(kind === 'interrupted');
      expect(outcome.usage.output).toBe(kind === 'interrupted' ? 12 : 0);
    },
  );

  test('a time to wait can be given', async () => {
    const { outcome } = await runSimulator({ prompt: '[[sim:rate_limit retry-after=2.5]]' });
    expect(outcome).toMatchObject({ failure: { kind: 'rate_limit', retryAfterMs: 2500 } });
  });

  test('[[sim:fail 2 overloaded]] fails twice, then answers, for each owner and stream', async () => {
    const simulator = createSimulator({ clock: fakeClock() });
    const call = async (change = {}): Promise<string> => {
      const prompt = '[[sim:fail 2 overloaded]]';
      return (await runSimulator({ prompt, simulator, ...change })).outcome.kind;
    };
    const calls = [await call(), await call(), await call(), await call()];
    expect(calls).toEqual(['failed', 'failed', 'completed', 'failed']);
    expect(await call({ ownerId: 'other' })).toBe('failed');
    expect(await call({ streamId: 'other' })).toBe('failed');
    expect(await call()).toBe('failed');
    expect(await call()).toBe('completed');
  });

  test('[[sim:cut 5 network]] fails after five tokens, which count', async () => {
    const { outcome, text } = await runSimulator({ prompt: '[[sim:cut 5 network]]' });
    expect(outcome).toMatchObject({ failure: { kind: 'network' }, usage: { output: 5 } });
    expect(outcome.usage.input).toBeGreaterThan(0);
    expect(text.split(' ')).toHaveLength(5);
  });

  test('an answer shorter than the cut still fails, one cut by maxTokens does not', async () => {
    const prompt = '[[sim:cut 500 network]][[sim:echo hi]]';
    expect((await runSimulator({ prompt })).outcome).toMatchObject({ kind: 'failed' });
    const { outcome } = await runSimulator({ prompt: '[[sim:cut 50 network]]', maxTokens: 5 });
    expect(outcome).toMatchObject({ kind: 'completed', finish: 'length' });
  });
});

describe('shape and speed', () => {
  test.each([0, 1, 7, 50, 500, 20_000])('[[sim:tokens %d]] is exact', async (tokens) => {
    const { outcome, text } = await runSimulator({ prompt: `[[sim:tokens ${tokens}]]` });
    expect(outcome).toMatchObject({ finish: 'stop', usage: { output: tokens } });
    expect(parseArtifact(text, 'stream').kind).toBe(tokens >= 500 ? 'found' : 'none');
  });

  test('delay and pace replace those of the model', async () => {
    const clock = fakeClock();
    const prompt = '[[sim:delay 3000]] [[sim:pace 50]] [[sim:tokens 96]]';
    const { chunks } = await runSimulator({ prompt, clock });
    expect(chunks).toHaveLength(3);
    expect(clock.now()).toBe(3100);
  });

  test('[[sim:hang]] answers only to an abort', async () => {
    const controller = new AbortController();
    const run = runSimulator({ prompt: '[[sim:hang]]', signal: controller.signal });
    const settled = run.then(() => 'settled');
    const later = new Promise((resolve) => setImmediate(resolve, 'waiting'));
    expect(await Promise.race([settled, later])).toBe('waiting');
    controller.abort();
    expect((await run).outcome).toMatchObject({ kind: 'aborted', usage: { output: 0 } });
  });

  test.each([
    ['no-artifact', 'none'],
    ['bad-artifact', 'invalid'],
    ['edits', 'found'],
  ])('[[sim:%s]] gives an artifact that is %s', async (name, kind) => {
    const { text } = await runSimulator({ prompt: `[[sim:${name}]]` });
    expect(parseArtifact(text, 'stream').kind).toBe(kind);
    expect(text.includes('millrace-edits')).toBe(name === 'edits');
  });
});

describe('literal answers', () => {
  test('a reply for one stream is given to that stream alone, wherever it stands', async () => {
    const prompt = '[[sim:reply for=a]]mine[[/sim:reply]] [[sim:reply]]any[[/sim:reply]]';
    expect((await runSimulator({ prompt, streamId: 'a' })).text).toBe('mine');
    expect((await runSimulator({ prompt, streamId: 'b' })).text).toBe('any');
  });

  test('echo and reply give back exactly their text', async () => {
    const odd = ' a\u0000b \ud800 [[sim:auth]]\r\n\n';
    expect((await runSimulator({ prompt: 'x [[sim:echo  hi  ]] y' })).text).toBe(' hi  ');
    const { text } = await runSimulator({ prompt: `x [[sim:reply]]${odd}[[/sim:reply]] y` });
    expect(text).toBe(odd);
  });

  test('any text comes back whole, in whole characters', async () => {
    const anyText = fc
      .array(fc.constantFrom('a', '😀', ' ', '漢'), { maxLength: 80, size: 'max' })
      .map((list) => list.join(''));
    await fc.assert(
      fc.asyncProperty(anyText, async (any) => {
        // The model with the smallest chunks: most cuts show.
        const prompt = `[[sim:reply]]${any}[[/sim:reply]]`;
        const { text, chunks } = await runSimulator({ prompt, model: 'sim-slow' });
        expect(text).toBe(any);
        expect(chunks.every((chunk) => chunk.isWellFormed())).toBe(true);
      }),
    );
  });
});

describe('directives that are not understood', () => {
  test.each([
    ['[[sim:rate-limit]]', 'there is no directive'],
    ['[[sim:]]', 'there is no directive'],
    ['[[sim:tokens many]]', 'a whole number from 0 to 200000'],
    ['[[sim:tokens 200001]]', 'a whole number'],
    ['[[sim:tokens]]', 'a whole number'],
    ['[[sim:fail overloaded]]', 'how often'],
    ['[[sim:fail 2 sadness]]', 'needs a kind of failure: auth'],
    ['[[sim:cut 5]]', 'needs a kind of failure'],
    ['[[sim:auth now]]', 'retry-after=SECONDS'],
    ['[[sim:hang 5]]', 'takes nothing'],
    ['[[sim:reply]] no end', '[[/sim:reply]]'],
    ['[[sim:reply x]]', 'takes only for=ID'],
    ['[[sim:reply for=a]] no end', '[[/sim:reply]]'],
  ])('%s is refused with what to do', async (prompt, part) => {
    const { outcome } = await runSimulator({ prompt });
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'bad_request' } });
    expect(JSON.stringify(outcome)).toContain(part);
  });

  test('an opening without an end is ordinary text', async () => {
    expect((await runSimulator({ prompt: 'see [[sim:auth' })).outcome.kind).toBe('completed');
  });
});

test('the documentation lists every directive and every failure kind', () => {
  const page = readFileSync(new URL('../../docs/simulator.md', import.meta.url), 'utf8');
  for (const [name, { usage }] of DIRECTIVES) {
    expect(page).toContain(`\`[[sim:${name}${usage === '' ? '' : ` ${usage}`}]]`);
  }
  for (const kind of Object.keys(RETRYABLE)) expect(page).toContain(`\`[[sim:${kind}`);
});
