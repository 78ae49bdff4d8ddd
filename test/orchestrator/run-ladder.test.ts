// A stream with several models: the next one is asked when the checks fail or an answer cannot be used, and for no other
// reason.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { passedModels, projectionOf } from '../../src/domain/run/projection.ts';
import { MillraceClient } from '../../src/client/index.ts';
import type { ModelCall, Scripted } from '../support/scripted-model.ts';
import { journalOf, listRunIds } from '../../src/orchestrator/state/run-folder.ts';
import { placeIn } from './apply-project.ts';
import type { Project, Ran } from './project.ts';
import { edits, replace, useScriptedProjects, whole } from './scripted-projects.ts';

const { server, model, project, workflow } = useScriptedProjects();

const LADDER = ['gpt-6-luna', 'gpt-6.1-terra', 'gpt-6-sol'];
const [CHEAP, BETTER, BEST] = LADDER as [string, string, string];

const good = edits(whole('a.txt', 'good\n', 'create'));
const bad = edits(whole('a.txt', 'bad\n', 'create'));

const stream = (more: object = {}) => ({
  name: 'A',
  owns: ['a.txt'],
  plan: 'Write it.',
  verify: ['grep -q good a.txt'],
  models: LADDER,
  ...more,
});

const asked = () => model().calls.map((call) => call.model);

const rungsOf = ({ events }: Ran) =>
  events.flatMap((event) => (event.type === 'stream.started' ? [event.rung?.number] : []));

describe('twenty exercises of which the cheap model fails a third', () => {
  const ids = Array.from({ length: 20 }, (_, number) => `e${number}`);
  const isHard = (id: string) => Number(id.slice(1)) % 3 === 0;
  /** Of a million tokens, as the vendor publishes them. */
  const PRICES: Record<string, [input: number, output: number]> = {
    [CHEAP]: [0.1, 0.5],
    [BEST]: [2, 10],
  };
  const tokensOf = (text: string) => Math.ceil(text.length / 4);

  it('are all done, for what the vendor counts, and history says by which model', async () => {
    const one = (id: string) => [
      id,
      stream({
        name: id,
        owns: [`${id}.txt`],
        models: [CHEAP, BEST],
        verify: [`grep -q good ${id}.txt`],
      }),
    ];
    const place = project(Object.fromEntries(ids.map(one)));
    let billUsd = 0;
    model().answer(({ model: which, prompt }) => {
      const id = /# Task: (?:Fix \d of )?(e\d+)/.exec(prompt)![1]!;
      const isGood = which === BEST || !isHard(id);
      const text = edits(whole(`${id}.txt`, isGood ? 'good\n' : 'bad\n', 'create'));
      const [input, output] = PRICES[which]!;
      billUsd += (tokensOf(prompt) * input + tokensOf(text) * output) / 1e6;
      return text;
    });
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    const hard = ids.filter(isHard);
    for (const id of ids) expect(place.read(`${id}.txt`)).toBe('good\n');
    expect(asked().filter((which) => which === CHEAP)).toHaveLength(ids.length);
    expect(asked().filter((which) => which === BEST)).toHaveLength(hard.length);
    expect(ran.totals.costUsd).toBeCloseTo(billUsd, 9);
    const passed = [
      { model: CHEAP, streams: ids.length - hard.length },
      { model: BEST, streams: hard.length },
    ];
    expect(passedModels(projectionOf(ran.events))).toEqual(passed);
    // What went wrong is known to the next model.
    for (const call of model().calls.filter(({ model: which }) => which === BEST)) {
      expect(call.prompt).toContain('# What went wrong');
      expect(call.prompt).toMatch(/grep -q good e\d+\.txt/);
    }
    const client = new MillraceClient(server.url, server.key);
    const { run, streams } = await client.getRun(ran.runId);
    expect(run.totalCostUsd).toBeCloseTo(billUsd, 6);
    const recorded = new Map(streams.map(({ streamId, model: which }) => [streamId, which]));
    expect(recorded.get('e1')).toBe(CHEAP);
    expect(recorded.get('e0-fix-1')).toBe(BEST);
  });
});

describe('the next model is asked', () => {
  const climbing: [why: string, (call: ModelCall) => Scripted][] = [
    ['the checks fail', () => bad],
    ['the answer cannot be used, however often it is asked for again', () => 'I would write good.'],
    ['the answer is cut off twice', () => ({ text: good.slice(0, 60), isCutOff: true })],
    ['the model declines to answer', () => ({ text: 'No.', isRefused: true })],
    [
      'it writes what it does not own, and says so again',
      () => edits(whole('other.txt', 'x\n', 'create')),
    ],
  ];

  it.each(climbing)('after %s', async (_, answer) => {
    const place = project({ a: stream({ maxTokens: 20 }) });
    model().answer((call) => (call.model === CHEAP ? answer(call) : good));
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(place.read('a.txt')).toBe('good\n');
    expect(new Set(asked())).toEqual(new Set([CHEAP, BETTER]));
    expect(rungsOf(ran)).toEqual([1, 2]);
    expect(place.exists('other.txt')).toBe(false);
  });

  it('after it breaks the check of another stream', async () => {
    const streams = {
      a: { name: 'A', owns: ['f.txt'], plan: 'Add a.', verify: ['grep -q from-a f.txt'] },
      b: stream({ name: 'B', owns: ['f.txt'], plan: 'Add b.', verify: ['grep -q from-b f.txt'] }),
    };
    const place = project(streams, { 'f.txt': 'start\n' });
    model().answer(({ prompt, model: which }) => {
      if (prompt.includes('# Task: A')) return edits(replace('f.txt', 'start', 'start\nfrom-a'));
      return which === CHEAP
        ? edits(replace('f.txt', 'start\nfrom-a', 'start\nfrom-b'))
        : edits(replace('f.txt', 'from-a', 'from-a\nfrom-b'));
    });
    expect((await place.run(server)).status).toBe('complete');
    expect(asked().at(-1)).toBe(BETTER);
  });

  it('in a workflow as well', async () => {
    const commands = [{ command: 'grep -q good a.txt', critical: true }];
    const place = workflow({
      a: { description: 'Do A', plan: 'Do it.', commands, models: [CHEAP, BETTER] },
    });
    model().answer(({ model: which }) => (which === CHEAP ? bad : good));
    expect((await place.run(server)).status).toBe('complete');
    expect(asked()).toEqual([CHEAP, BETTER]);
  });
});

describe('the same model is asked again', () => {
  it('after the vendor was down', async () => {
    const place = project({ a: stream() });
    let isDown = true;
    model().answer(() => (isDown ? { text: 'down', status: 500 } : good));
    const ran = await place.run(server, {
      retryWaitMs: 1,
      onEvent: ({ type }) => {
        if (type === 'stream.failed') isDown = false;
      },
    });
    expect(ran.status).toBe('complete');
    expect(rungsOf(ran)).toEqual([1, 1]);
    expect(new Set(asked())).toEqual(new Set([CHEAP]));
  });

  it('once there is no better one', async () => {
    const place = project({ a: stream({ models: [CHEAP, BETTER] }) });
    model().answer(() => bad);
    const ran = await place.run(server);
    expect(ran.status).toBe('failed');
    expect(asked()).toEqual([CHEAP, BETTER, BETTER]);
  });
});

describe('nobody else is asked', () => {
  it('when the vendor does not have the model', async () => {
    const place = project({ a: stream() });
    model().answer(() => ({ text: 'The model does not exist', status: 404 }));
    const ran = await place.run(server, { retryWaitMs: 1 });
    expect(ran.status).not.toBe('complete');
    expect(new Set(asked())).toEqual(new Set([CHEAP]));
  });

  it('when a check cannot be run at all', async () => {
    const place = project({ a: stream({ verify: ['no-such-program-anywhere'] }) });
    model().answer(() => good);
    const ran = await place.run(server);
    expect(ran.status).toBe('failed');
    expect(asked()).toEqual([CHEAP]);
  });

  it('when one model was named for the run', async () => {
    const place = project({ a: stream() });
    model().answer(() => bad);
    await place.run(server, { model: BEST });
    expect(asked()).toEqual([BEST, BEST, BEST]);
  });
});

describe('a tier', () => {
  it('is for those of the models that have it', async () => {
    const models = [CHEAP, 'gpt-4.1', BEST];
    const place = project({ a: stream({ models, serviceTier: 'flex' }) });
    model().answer(({ model: which }) => (which === BEST ? good : bad));
    expect((await place.run(server)).status).toBe('complete');
    const tiers = model().calls.map((call) => [call.model, call.serviceTier]);
    expect(tiers).toEqual([
      [CHEAP, 'flex'],
      ['gpt-4.1', undefined],
      [BEST, 'flex'],
    ]);
  });
});

describe('attempts', () => {
  const four = [...LADDER, 'gpt-6-astra'];

  it('are as many as there are models', async () => {
    const place = project({ a: stream({ models: four }) });
    model().answer(() => bad);
    const ran = await place.run(server);
    expect(asked()).toEqual(four);
    const fixes = ran.events.filter((event) => event.type === 'stream.fix');
    expect(fixes).toMatchObject([
      { attempt: 2, of: 4 },
      { attempt: 3, of: 4 },
      { attempt: 4, of: 4 },
    ]);
  });

  it('cut the ladder where their number is given', async () => {
    const place = project({ a: stream({ models: four }) });
    model().answer(() => bad);
    await place.run(server, { maxAttempts: 2 });
    expect(asked()).toEqual([CHEAP, BETTER]);
  });

  it('begin with the first model in the next run', async () => {
    const place = project({ a: stream() });
    model().answer(() => bad);
    await place.run(server, { maxAttempts: 2 });
    model().answer(() => good);
    const again = await place.run(server, { cache: false });
    expect(again.status).toBe('complete');
    expect(asked().at(-1)).toBe(CHEAP);
  });
});

describe('a run that is killed between two models', () => {
  const SCRIPT = fileURLToPath(new URL('./crash-run.ts', import.meta.url));

  async function crashAt(place: Project, seq: number): Promise<void> {
    const args = [SCRIPT, place.root, server.url, server.key, String(seq)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal, `event ${seq}`).toBe('SIGKILL');
  }

  /** As if the process had died right after it wrote this line. */
  async function cutJournal(place: Project, type: string, stream: string): Promise<void> {
    const { stateDir } = placeIn(place.root);
    const [runId] = await listRunIds(stateDir);
    const file = journalOf(stateDir, runId!);
    const lines = (await readFile(file, 'utf8')).split('\n');
    const events = lines.filter(Boolean).map((line) => JSON.parse(line) as RunEvent);
    const at = events.findIndex(
      (event) => event.type === type && 'stream' in event && event.stream === stream,
    );
    expect(at, `${type} of ${stream}`).toBeGreaterThan(0);
    await writeFile(file, `${lines.slice(0, at + 1).join('\n')}\n`);
  }

  it.each([
    ['stream.failed', 'a'],
    ['stream.fix', 'a'],
    ['stream.failed', 'a-fix-1'],
  ])('after %s of %s resumes with the right one, and pays for nothing twice', async (type, id) => {
    const create = () => project({ a: stream() });
    model().answer(({ model: which }) => (which === BEST ? good : bad));
    const calm = await create().run(server);
    expect(calm.status).toBe('complete');
    expect(asked()).toEqual(LADDER);
    const place = create();
    model().calls.length = 0;
    const ended = id === 'a' ? 'a-fix-1' : 'a-fix-2';
    const { seq } = calm.events.find(
      (event) => event.type === 'stream.started' && event.stream === ended,
    )!;
    await crashAt(place, seq);
    await cutJournal(place, type, id);
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(asked()).toEqual(LADDER);
    expect(place.read('a.txt')).toBe('good\n');
  });
});
