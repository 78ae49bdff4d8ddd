// Models that nobody here has facts about: servers of one's own, and what came out yesterday.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Ran } from './project.ts';
import { edits, useScriptedProjects, whole } from './scripted-projects.ts';

const folder = mkdtempSync(join(tmpdir(), 'prices-'));
const pricesFile = join(folder, 'prices.json');
writeFileSync(pricesFile, JSON.stringify({ 'openai:local-d': { input: 0, output: 1 } }));
afterAll(() => rmSync(folder, { recursive: true }));

const { server, model, project } = useScriptedProjects({ pricesFile });

const asksOf = ({ events }: Ran) =>
  events.flatMap((event) => (event.type === 'stream.call' ? [event.asks ?? 'first'] : []));
const lengths = () => model().calls.map(({ maxTokens }) => maxTokens);

const LONG = edits(whole('a.txt', 'word '.repeat(7000), 'create'));
const LONG_TOKENS = Math.ceil(LONG.length / 4);
const GOOD = edits(whole('a.txt', 'all\n', 'create'));

/** Each test has a model of its own: what is learned of one is kept. */
function placeOf(id: string, more: object = {}) {
  const stream = { name: 'A', owns: ['a.txt'], plan: 'Change it.', model: `openai:${id}` };
  return project({ a: { ...stream, ...more } }, {}, {});
}

describe('an answer that is cut off', () => {
  it('is asked for again with twice the tokens that were asked for', async () => {
    const made = placeOf('local-a', { maxTokens: 8192 });
    model().answer(({ maxTokens = 0 }) =>
      maxTokens <= 8192 ? { text: LONG, isCutOff: true } : GOOD,
    );
    const ran = await made.run(server);
    expect(ran.status).toBe('complete');
    expect(lengths()).toEqual([8192, 16_384]);
    expect(asksOf(ran)).toEqual(['first', 'longer']);
  });

  it('is asked for again with twice the tokens that came where nobody asked for a length', async () => {
    const made = placeOf('local-b');
    model().answer(({ maxTokens }) =>
      maxTokens === undefined ? { text: LONG, isCutOff: true } : GOOD,
    );
    const ran = await made.run(server);
    expect(ran.status).toBe('complete');
    expect(made.read('a.txt')).toBe('all\n');
    expect(lengths()).toEqual([undefined, 2 * LONG_TOKENS]);
    expect(asksOf(ran)).toEqual(['first', 'longer']);
  });

  it('fails its stream when the longer one is cut off as well', async () => {
    const made = placeOf('local-c');
    model().answer(() => ({ text: LONG, isCutOff: true }));
    const ran = await made.run(server);
    expect(ran.status).toBe('failed');
    expect(lengths()).toHaveLength(2);
    const failed = ran.events.find(({ type }) => type === 'stream.failed');
    expect(failed).toMatchObject({
      class: 'cut-off',
      error: `The answer was cut off at ${LONG_TOKENS} tokens, before its maxTokens of ${2 * LONG_TOKENS}: the model has no more room; split this stream, or use another model.`,
    });
  });
});

describe('without maxTokens', () => {
  it('a budget is kept by a length that is sent', async () => {
    const made = placeOf('local-d');
    model().answer(() => GOOD);
    const priceOf = (_: string, { output }: { output: number }) => output / 1_000_000;
    const ran = await made.run(server, { priceOf, maxCostUsd: 1 });
    expect(ran.status).toBe('complete');
    expect(lengths()).toEqual([8192]);
    const call = ran.events.find((event) => event.type === 'stream.call');
    expect(call).toMatchObject({ reservedUsd: 0.008192 });
  });
});

describe('a length that the vendor refuses', () => {
  const refusing = (limit: number, words: (asked: number) => string) => {
    model().answer(({ maxTokens = 0 }) =>
      maxTokens <= limit ? GOOD : { text: words(maxTokens), status: 400 },
    );
  };

  it('is asked for once more at the limit that it names, and not again by later calls', async () => {
    refusing(12_000, (asked) => {
      return `max_tokens is too large: ${asked}. This model supports at most 12000 completion tokens.`;
    });
    const made = placeOf('local-e', { maxTokens: 50_000 });
    expect((await made.run(server)).status).toBe('complete');
    expect(lengths()).toEqual([50_000, 12_000]);
    const later = placeOf('local-e', { maxTokens: 40_000 });
    expect((await later.run(server)).status).toBe('complete');
    expect(lengths()).toEqual([50_000, 12_000, 12_000]);
    const other = placeOf('local-f', { maxTokens: 9000 });
    expect((await other.run(server)).status).toBe('complete');
    expect(lengths().at(-1)).toBe(9000);
  });

  it('is asked for with the room that the prompt leaves, which is not kept for other prompts', async () => {
    refusing(7192, (asked) => {
      return `This model's maximum context length is 8192 tokens. However, you requested ${asked + 1000} tokens (1000 in the messages, ${asked} in the completion).`;
    });
    expect((await placeOf('local-g', { maxTokens: 8000 }).run(server)).status).toBe('complete');
    expect((await placeOf('local-g', { maxTokens: 8000 }).run(server)).status).toBe('complete');
    expect(lengths()).toEqual([8000, 7192, 8000, 7192]);
  });

  it('fails the stream when the limit that it names is refused, too', async () => {
    model().answer(() => ({
      text: 'This model supports at most 12000 completion tokens.',
      status: 400,
    }));
    const ran = await placeOf('local-h', { maxTokens: 50_000 }).run(server, { maxAttempts: 1 });
    expect(ran.status).toBe('failed');
    expect(lengths()).toEqual([50_000, 12_000]);
  });
});

describe('the window that a local server reports', () => {
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`src/f${at}.txt`, 'line of text\n'.repeat(400)]),
  );
  const contextOf = ({ events }: Ran) => {
    const found = events.find((event) => event.type === 'stream.context');
    return found?.type === 'stream.context' ? found.tokens : undefined;
  };
  const run = async (id: string) => {
    const stream = { name: 'A', owns: ['a.txt'], reads: ['src/**'], plan: 'Change it.' };
    const made = project({ a: { ...stream, model: `openai:${id}` } }, files, {});
    model().answer(() => GOOD);
    model().visits.length = 0;
    const ran = await made.run(server);
    expect(ran.status).toBe('complete');
    return contextOf(ran)!;
  };

  it('decides how much of the project is shown', async () => {
    const common = await run('silent');
    expect(common).toBeGreaterThan(12_000);
    model().pages.set('/api/show', { parameters: 'stop "x"\nnum_ctx 16384', model_info: {} });
    try {
      const fitted = await run('small');
      expect(fitted).toBeGreaterThan(1000);
      expect(fitted).toBeLessThanOrEqual(4288);
    } finally {
      model().pages.delete('/api/show');
    }
  });

  it('is not asked for where the facts know it', async () => {
    const stream = { name: 'A', owns: ['a.txt'], plan: 'Change it.', maxTokens: 1000 };
    model().answer(() => GOOD);
    model().visits.length = 0;
    await project({ a: { ...stream, model: 'gpt-4.1' } }, {}).run(server);
    expect(model().visits).toEqual([]);
  });
});
