// A model that writes a whole file from memory does not take away what another stream of the run put into it.
import { describe, expect, it } from 'vitest';
import type { Ran } from './project.ts';
import { edits, replace, useScriptedProjects, whole } from './scripted-projects.ts';

const { server, model, project, workflow } = useScriptedProjects();

const asksOf = ({ events }: Ran, stream: string) =>
  events.flatMap((event) =>
    event.type === 'stream.call' && event.stream === stream ? [event.asks ?? 'first'] : [],
  );

const ROUTES = 'start()\n\nroutes = [\n  home,\n]\n';
const WITH_A = 'start()\n\nroutes = [\n  home,\n  cart,\n]\n';
const WITH_B = 'start()\n\nroutes = [\n  home,\n  search,\n]\n';
const BOTH = 'start()\n\nroutes = [\n  home,\n  cart,\n  search,\n]\n';

/** Two features that are added to one file, one after the other. */
const pair = (more: object = {}) =>
  project(
    {
      a: { name: 'A', owns: ['routes.py'], plan: 'Feature A' },
      b: { name: 'B', owns: ['*.py'], plan: 'Feature B', deps: ['a'], ...more },
    },
    { 'routes.py': ROUTES },
  );

/** `b`: the answers of the second stream, one for each question; the last one for all that follow. */
function answers(b: string[]): void {
  let asked = 0;
  model().answer(({ prompt }) => {
    if (prompt.includes('Feature A')) return edits(whole('routes.py', WITH_A));
    return b[Math.min(asked++, b.length - 1)]!;
  });
}

describe('a whole text without the lines of an earlier stream', () => {
  it('is asked for again with those lines', async () => {
    const place = pair();
    answers([edits(whole('routes.py', WITH_B)), edits(whole('routes.py', BOTH))]);
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(asksOf(ran, 'b')).toEqual(['first', 'again']);
    const { prompt } = model().calls.at(-1)!;
    expect(prompt).toContain('DROPPED: It drops lines that a added in this run.');
    expect(prompt).toMatch(/These lines are missing:\n`+\ncart,\n/);
    expect(place.read('routes.py')).toBe(BOTH);
  });

  it('fails its attempt when it insists', async () => {
    const place = pair();
    answers([edits(whole('routes.py', WITH_B))]);
    const ran = await place.run(server, { maxAttempts: 1 });
    expect(ran.status).toBe('failed');
    expect(place.streams()).toMatchObject({ a: { status: 'complete' }, b: { status: 'failed' } });
    expect(place.read('routes.py')).toBe(WITH_A);
  });

  it('is found after the run was paused and resumed', async () => {
    const place = pair({ maxTokens: 30_000 });
    answers([edits(whole('routes.py', WITH_B)), edits(whole('routes.py', BOTH))]);
    const first = await place.run(server, { maxCostUsd: 0.1 });
    expect(first.status).toBe('paused');
    expect(place.read('routes.py')).toBe(WITH_A);
    const second = await place.run(server);
    expect(second.runId).toBe(first.runId);
    expect(second.status).toBe('complete');
    // The first question was written down before it was refused.
    expect(asksOf(first, 'b')).toEqual(['first']);
    expect(asksOf(second, 'b')).toEqual(['again']);
    expect(place.read('routes.py')).toBe(BOTH);
  });

  it('is found where two streams of one wave write the same file', async () => {
    const place = workflow(
      {
        a: { description: 'A', plan: 'Feature A', context: { files: ['routes.py'] } },
        b: { description: 'B', plan: 'Feature B', context: { files: ['routes.py'] } },
      },
      { 'routes.py': ROUTES },
    );
    // The second one is asked when the first has written: it was shown the line, and forgets it.
    model().answer(({ prompt }) => {
      const isA = prompt.includes('Feature A');
      if (prompt.includes('These lines are missing')) return edits(whole('routes.py', BOTH));
      return edits(whole('routes.py', isA ? WITH_A : WITH_B));
    });
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(place.read('routes.py')).toBe(BOTH);
  });
});

describe('lines of an earlier stream', () => {
  it('may be removed by an edit that names them', async () => {
    const place = pair();
    answers([edits(replace('routes.py', '  cart,\n]', '  search,\n]'))]);
    expect((await place.run(server)).status).toBe('complete');
    expect(place.read('routes.py')).toBe(WITH_B);
  });

  it('may move and be indented otherwise', async () => {
    const place = pair();
    const moved = 'if ready:\n    routes = [\n      cart,\n      home,\n    ]\n';
    answers([edits(whole('routes.py', moved))]);
    const ran = await place.run(server);
    expect(asksOf(ran, 'b')).toEqual(['first']);
    expect(place.read('routes.py')).toBe(moved);
  });

  it('go along with a file that is renamed', async () => {
    const place = pair();
    const renamed = (text: string) =>
      edits('delete: routes.py\n', whole('paths.py', text, 'create'));
    answers([renamed(WITH_B), renamed(BOTH)]);
    const ran = await place.run(server);
    expect(ran.status).toBe('complete');
    expect(asksOf(ran, 'b')).toEqual(['first', 'again']);
    expect(place.exists('routes.py')).toBe(false);
    expect(place.read('paths.py')).toBe(BOTH);
  });

  it('go with a file that is deleted and nothing else', async () => {
    const place = pair();
    answers([edits('delete: routes.py\n')]);
    expect((await place.run(server)).status).toBe('complete');
    expect(place.exists('routes.py')).toBe(false);
  });

  it('are not those of the stream itself, which its fix may write anew', async () => {
    const place = project(
      {
        a: {
          name: 'A',
          owns: ['routes.py'],
          plan: 'Feature A',
          verify: ['grep -q search routes.py'],
        },
      },
      { 'routes.py': ROUTES },
    );
    model().answer(({ number }) => edits(whole('routes.py', number === 1 ? WITH_A : WITH_B)));
    expect((await place.run(server)).status).toBe('complete');
    expect(place.read('routes.py')).toBe(WITH_B);
  });
});
