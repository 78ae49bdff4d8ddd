import { expect, it } from 'vitest';
import type { RunEvent, RunEventBody } from '../../src/contract/run-events.ts';
import { runStarted } from './run-started.ts';
import { projectionOf } from '../../src/domain/run/projection.ts';
import { budgetOf, cacheSavingOf, modelCostsOf } from '../../web/pages/run/cost/model-costs.ts';
import { logLineOf, matches } from '../../web/pages/run/log/log-line.ts';
import { parsePatch, sideBySide } from '../../web/pages/run/changes/parse-patch.ts';
import {
  bringIntoView,
  fit,
  overlaps,
  seenPart,
  zoomAt,
} from '../../web/pages/run/graph/viewport.ts';
import { criticalPath } from '../../web/pages/run/timeline/critical-path.ts';
import { spansOf, timesOf } from '../../web/pages/run/timeline/spans.ts';

const NONE = { input: 0, output: 0, cachedInput: 0 };
const stream = (id: string, waitsFor: string[] = []) => ({
  id,
  name: id,
  wave: waitsFor.length + 1,
  status: 'pending' as const,
  waitsFor,
});

/** Events with the second at which each happened. */
function eventsAt(bodies: readonly (readonly [number, RunEventBody])[]): RunEvent[] {
  return bodies.map(([second, body], index) => ({
    v: 1,
    seq: index + 1,
    ts: new Date(1_800_000_000_000 + second * 1000).toISOString(),
    ...body,
  }));
}

const started = runStarted([stream('a'), stream('b', ['a']), stream('c', ['a'])]);
const begin = (id: string, attempt = 1) =>
  ({ type: 'stream.started', stream: id, attempt, wave: 1 }) as const;
const call = (id: string) =>
  ({
    type: 'stream.call',
    stream: id,
    attempt: 1,
    call: 1,
    key: 'k',
    reservedUsd: null,
  }) as const;
const answer = (id: string) =>
  ({
    type: 'stream.answer',
    stream: id,
    attempt: 1,
    call: 1,
    ok: true,
    tokens: NONE,
    costUsd: 0,
  }) as const;
const check = { stream: 'b', attempt: 1, phase: 'verify', command: 'npm test' } as const;
const complete = (id: string): RunEventBody => ({
  type: 'stream.completed',
  stream: id,
  attempt: 1,
  wave: 1,
  durationMs: 1,
  tokens: NONE,
  costUsd: 0,
  files: [],
});

const EVENTS = eventsAt([
  [0, started],
  [0, begin('a')],
  [1, call('a')],
  [4, answer('a')],
  [5, complete('a')],
  [5, begin('b')],
  [5, call('b')],
  [
    6,
    {
      type: 'stream.waiting',
      stream: 'b',
      attempt: 1,
      reason: 'rate_limited',
      until: new Date(1_800_000_008_000).toISOString(),
    },
  ],
  [10, answer('b')],
  [10, { type: 'command.started', ...check }],
  [
    12,
    {
      type: 'command.finished',
      ...check,
      ok: false,
      exitCode: 1,
      timedOut: false,
      durationMs: 2000,
      critical: false,
      output: 'not ok 1 - the Shelf',
    },
  ],
  [12, complete('b')],
  [14, begin('c')],
  [14, call('c')],
]);

it('the timeline tells waiting from the model and from commands, while it grows', () => {
  const { streams } = spansOf(EVENTS);
  const at = 1_800_000_020_000;
  expect(timesOf(streams.get('a')!, at)).toEqual({ wait: 0, work: 2000, model: 3000, command: 0 });
  // The wait is over when the server said it would be; then the answer is being written.
  expect(timesOf(streams.get('b')!, at)).toEqual({
    wait: 2000,
    work: 0,
    model: 3000,
    command: 2000,
  });
  // It could have started when `a` was complete, and is still being answered.
  expect(timesOf(streams.get('c')!, at)).toEqual({ wait: 9000, work: 0, model: 6000, command: 0 });
  expect(streams.get('b')!.spans.find(({ kind }) => kind === 'command')?.isFailed).toBe(true);
  expect(criticalPath(projectionOf(EVENTS), spansOf(EVENTS))).toEqual(['a', 'c']);
});

it('the log finds what a command printed, and lets through what is worse than asked for', () => {
  const lines = EVENTS.map(logLineOf);
  const all = { text: '', stream: '', level: '' } as const;
  expect(lines.filter((line) => matches(line, { ...all, text: 'the shelf' }))).toHaveLength(1);
  expect(lines.filter((line) => matches(line, { ...all, level: 'warning' }))).toHaveLength(2);
  expect(lines.filter((line) => matches(line, { ...all, stream: 'c' }))).toHaveLength(2);
});

it('the cost of a run is told by model, also where only the run named one', () => {
  const tokens = { input: 1000, output: 100, cachedInput: 600 };
  const asked = (id: string, model?: string) => ({ ...call(id), ...(model && { model }) });
  const answered = (id: string, costUsd: number | null) => ({ ...answer(id), tokens, costUsd });
  const events = eventsAt([
    [0, { ...started, model: 'old-model' }],
    [1, asked('a')],
    [2, answered('a', 0.25)],
    // Resumed by a later version, with other models and a budget.
    [3, { ...started, model: 'big, small', maxCostUsd: 2 }],
    [4, asked('b', 'big')],
    [4, asked('c', 'small')],
    [5, answered('c', null)],
    [6, answered('b', 1)],
  ]);
  const costs = modelCostsOf(events);
  expect(costs.map(({ model, calls, costUsd }) => [model, calls, costUsd])).toEqual([
    ['small', 1, null],
    ['big', 1, 1],
    ['old-model', 1, 0.25],
  ]);
  expect(budgetOf(events)).toBe(2);
  expect(budgetOf(EVENTS)).toBeUndefined();
  // Several models, and nobody said which: it is not guessed.
  const [first, ...others] = EVENTS as [RunEvent, ...RunEvent[]];
  const unnamed = modelCostsOf([{ ...first, model: 'x, y' } as RunEvent, ...others]);
  expect(unnamed.map(({ model, calls }) => [model, calls])).toEqual([['', 2]]);

  const price = { provider: 'p', outputUsd: 10 };
  const prices = new Map([
    ['big', { ...price, model: 'big', inputUsd: 10, cachedInputUsd: 1 }],
    ['old-model', { ...price, model: 'old-model', inputUsd: null, cachedInputUsd: null }],
  ]);
  const saving = cacheSavingOf(costs, prices)!;
  expect(saving.knownUsd).toBeCloseTo(0.0054);
  expect(saving.isUnpriced).toBe(true);
  expect(cacheSavingOf(costs.slice(1, 2), prices)!.isUnpriced).toBe(false);
});

it('a diff has the numbers of its lines, and stands side by side', () => {
  const patch = [
    'diff --git a/x b/x',
    '--- a/x',
    '+++ b/x',
    '@@ -3,3 +3,4 @@',
    ' same',
    '-old',
    '--- looks like a head',
    '+new',
    '+more',
    '\\ No newline at end of file',
    ' last',
    '',
  ].join('\n');
  const lines = parsePatch(patch);
  expect(lines.map(({ kind, oldNumber, newNumber }) => [kind, oldNumber, newNumber])).toEqual([
    ['hunk', undefined, undefined],
    ['same', 3, 3],
    ['remove', 4, undefined],
    ['remove', 5, undefined],
    ['add', undefined, 4],
    ['add', undefined, 5],
    ['note', undefined, undefined],
    ['same', 6, 6],
  ]);
  expect(sideBySide(lines)[2]).toMatchObject({ left: { text: 'old' }, right: { text: 'new' } });
  expect(parsePatch('diff --git a/x b/x\nBinary files a/x and b/x differ\n')).toEqual([]);
});

it('a graph is in the middle when it fits, and otherwise from its begin, not too small to read', () => {
  const frame = { width: 1000, height: 600 };
  expect(fit({ width: 500, height: 300 }, frame)).toEqual({ x: 250, y: 150, zoom: 1 });
  expect(fit({ width: 3000, height: 8000 }, frame)).toEqual({ x: 24, y: 24, zoom: 0.35 });
});

it('what is under the pointer stays there, and what gets the focus comes into view', () => {
  const view = { x: 10, y: 20, zoom: 0.5 };
  const frame = { width: 1000, height: 600 };
  const at = { x: 300, y: 200 };
  const under = ({ x, y, zoom }: typeof view) => [(at.x - x) / zoom, (at.y - y) / zoom];
  expect(under(zoomAt(view, 2, at))).toEqual(under(view));
  expect(zoomAt(view, 100, at).zoom).toBe(1.5);
  const node = { x: 0, y: 4000, width: 200, height: 60 };
  expect(overlaps(node, seenPart(view, frame))).toBe(false);
  const moved = bringIntoView(view, node, frame);
  expect(overlaps(node, seenPart(moved, frame))).toBe(true);
  expect(bringIntoView(moved, node, frame)).toEqual(moved);
});
