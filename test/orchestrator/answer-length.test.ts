// How long the answers of a stream may be when the manifest does not say it.
import { describe, expect, it } from 'vitest';
import { defaultMaxTokens } from '../../src/domain/model/answer-length.ts';
import type { RunOptions } from '../../src/orchestrator/run/context.ts';
import { feature } from './project.ts';
import type { Ran } from './project.ts';
import { useProjects, writes } from './use-projects.ts';

const { server, node, project, projectOf } = useProjects();

/** One dollar a token: what a call sets aside is its cap. */
const priceOf = (_: string, { output }: { output: number }) => output;

/** The server has no key for the model: the call is written down, and never made. */
function capOf({ events }: Ran): number | null | undefined {
  const call = events.find((event) => event.type === 'stream.call');
  return call?.type === 'stream.call' ? call.reservedUsd : undefined;
}

const model = 'claude-sonnet-4-5';
const stream = { name: 'A', owns: ['a.txt'], plan: 'Change a.txt' };

it('a stream thinks as much as the command line, the stream or the manifest says, in this order', async () => {
  const streams = { a: writes('a', { reasoning: 'high' }), b: writes('b') };
  const manifest = feature(streams, { reasoning: 'low' });
  const asked = async (more: Partial<RunOptions>) => {
    const { runId } = await projectOf(manifest).run(server, more);
    const { rows } = await node().db.query<{ reasoning: string }>(
      'select reasoning from jobs where run_id = $1 order by stream_id',
      [runId],
    );
    return rows.map(({ reasoning }) => reasoning);
  };
  expect(await asked({})).toEqual(['high', 'low']);
  expect(await asked({ reasoning: 'medium' })).toEqual(['medium', 'medium']);
});

describe('without maxTokens an answer may have', () => {
  it('32,000 tokens where the model allows it', async () => {
    const ran = await project({ a: stream }, { 'a.txt': 'short\n' }).run(server, {
      model,
      priceOf,
    });
    expect(capOf(ran)).toBe(32_000);
  });

  it('more where the files of the stream are larger', async () => {
    // About 40,000 tokens.
    const text = 'export const value = other + 1;\n'.repeat(5_000);
    const ran = await project({ a: stream }, { 'a.txt': text }).run(server, { model, priceOf });
    expect(capOf(ran)).toBeGreaterThan(45_000);
    expect(capOf(ran)).toBeLessThanOrEqual(64_000);
    const set = { a: { ...stream, maxTokens: 9_000 } };
    const asked = await project(set, { 'a.txt': text }).run(server, { model, priceOf });
    expect(capOf(asked)).toBe(9_000);
  });

  it('less where a budget could not cover it, but never less than nearly every model allows', async () => {
    const limited = { model, priceOf, maxCostUsd: 64_000 };
    const ran = await project({ a: stream }).run(server, limited);
    expect(capOf(ran)).toBe(16_000);
    const poor = { maxCostUsd: 1, priceOf };
    expect(defaultMaxTokens(model, 0, poor)).toBe(8_192);
  });

  it('as many as are known to be allowed', () => {
    expect(defaultMaxTokens('gpt-6-sol')).toBe(32_000);
    expect(defaultMaxTokens('openai:gpt-6', 50_000)).toBe(64_000);
    expect(defaultMaxTokens('gpt-4o', 50_000)).toBe(16_384);
    expect(defaultMaxTokens('claude-3-haiku-20240307')).toBe(4_096);
    expect(defaultMaxTokens('llama-of-my-own', 50_000)).toBe(200_000);
    expect(defaultMaxTokens('llama-of-my-own', 50_000, { maxCostUsd: 1, priceOf })).toBe(8_192);
  });
});
