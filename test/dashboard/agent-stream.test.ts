import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.ts';
import { patiently } from '../support/patient-call.ts';
import { keepLive } from './reported-run.ts';
import { useVisitor } from './use-visitor.ts';

const RUN = 'run_agent';
const of = { stream: 'api', attempt: 1 };
const STREAMS = [
  { id: 'api', name: 'Search endpoint', wave: 1, status: 'pending', waitsFor: [] },
  { id: 'docs', name: 'Describe it', wave: 2, status: 'pending', waitsFor: ['api'] },
];
const STEPS = [
  { type: 'stream.started', ...of, wave: 1, agent: 'my-agent' },
  { type: 'stream.call', ...of, call: 1, key: 'stok_x', model: 'sim-fast', reservedUsd: null },
  { type: 'agent.turn', ...of, turn: 1, ok: true, durationMs: 1400 },
  { type: 'agent.tool', ...of, name: 'read', argument: 'src/app.ts', durationMs: 12 },
  {
    type: 'agent.message',
    ...of,
    text: 'The router is in <b>src/app.ts</b>; I add a route there.',
  },
  {
    type: 'agent.refused',
    ...of,
    what: 'file',
    subject: 'README.md',
    why: 'It is outside the files this stream owns (src/).',
  },
  {
    type: 'agent.turn',
    ...of,
    turn: 2,
    ok: false,
    durationMs: 30,
    error: 'The team does not allow this model.',
  },
  { type: 'agent.thought', ...of, text: 'No other file is needed.' },
  {
    type: 'agent.changed',
    ...of,
    files: 2,
    additions: 14,
    deletions: 3,
    outside: 1,
    list: [
      { path: 'src/app.ts', kind: 'edit', additions: 2, deletions: 3 },
      { path: 'src/search.ts', kind: 'create', additions: 12, deletions: 0 },
    ],
  },
  { type: 'agent.tool', ...of, name: 'edit', argument: 'src/search.ts' },
];

const SUMMARY = {
  done: 0,
  failed: 0,
  total: 2,
  wave: 1,
  waves: 2,
  simulated: true,
  models: ['sim-fast'],
};

describe.skipIf(chromiumPath === undefined)('a stream that an agent works on', () => {
  const { server, visitor } = useVisitor();

  it('shows what the agent does, in the graph and step by step, while it works', async () => {
    const started = {
      type: 'run.started',
      runId: RUN,
      manifest: 'search',
      file: 'millrace.yaml',
      model: 'sim-fast',
      agentsWithoutSandbox: true,
      streams: STREAMS,
    };
    const events = [started, ...STEPS].map((event, index) => ({
      v: 1,
      seq: index + 1,
      ts: new Date(Date.now() - 10_000 + index * 700).toISOString(),
      ...event,
    }));
    const report = (some: object[]) =>
      patiently(() =>
        server().call('POST', `/api/v1/runs/${RUN}/events`, {
          key: visitor().key,
          body: { name: 'search', events: some, summary: SUMMARY },
        }),
      );
    expect((await report(events.slice(0, -1))).status).toBe(200);
    await keepLive(server(), RUN);
    await visitor().open(`/runs/${RUN}`);
    const { page } = visitor();
    const node = page.getByRole('button', { name: 'Running: Search endpoint' });
    await node.getByText('turn 2').waitFor();
    expect((await report(events.slice(-1))).status).toBe(200);
    await node.getByText('edit src/search.ts').waitFor();
    await node.click();
    const panel = page.getByRole('complementary', { name: 'Stream Search endpoint' });
    await panel.getByText('by my-agent').first().waitFor();
    const linesOf = async (list: Locator) =>
      (await list.getByRole('listitem').allInnerTexts()).map((text) =>
        text.replaceAll(/\s+/g, ' '),
      );
    expect(await linesOf(panel.getByRole('list', { name: 'Transcript of the agent' }))).toEqual([
      'Attempt 1 by my-agent',
      'read src/app.ts 12 ms',
      'The router is in <b>src/app.ts</b>; I add a route there.',
      'Refused: README.md: It is outside the files this stream owns (src/).',
      'Turn 2 failed: The team does not allow this model.',
      'Thought: No other file is needed.',
      'edit src/search.ts',
    ]);
    await panel.getByText('2 files changed so far').waitFor();
    await panel.getByText('1 file outside of what it owns').waitFor();
    expect(await linesOf(panel.getByRole('list', { name: 'Changed so far' }))).toEqual([
      'src/app.ts +2 -3',
      'src/search.ts +12 -0',
    ]);
    await visitor().expectAccessible();
    await panel.getByRole('button', { name: 'Timeline' }).click();
    const steps = await linesOf(panel.getByRole('list', { name: 'Timeline of the agent' }));
    expect(steps.map((text) => text.replace(/^[\d.]+ m?s /, ''))).toEqual([
      'attempt 1 by my-agent',
      'turn 1, 1.4 s',
      'tool read src/app.ts 12 ms',
      'message The router is in <b>src/app.ts</b>; I add a route there.',
      'refused README.md: It is outside the files this stream owns (src/).',
      'turn The team does not allow this model.',
      'thought No other file is needed.',
      'changed 2 files +14 -3',
      'tool edit src/search.ts',
    ]);
    await panel.getByText('agents without a sandbox').waitFor();
    // With the login of a person: never to be taken for what was charged.
    const tokens = { input: 900, output: 100, cachedInput: 0 };
    const said = { type: 'stream.answer', ...of, call: 1, ok: true, tokens, costUsd: 0 };
    const estimated = { ...said, estimatedUsd: 0.042, v: 1, seq: events.length + 1 };
    expect((await report([{ ...estimated, ts: new Date().toISOString() }])).status).toBe(200);
    await panel.getByText('$0.00 + ~$0.0420 estimated').waitFor();
    await page.locator('dl').getByText('$0.00 + ~$0.0420 estimated').waitFor();
    await visitor().expectAccessible();
  });
});
