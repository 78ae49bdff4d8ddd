// What was asked before and came to a good end is not asked again.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Project } from './project.ts';
import { edits, replace, useScriptedProjects, whole } from './scripted-projects.ts';

const { server, model, project } = useScriptedProjects();

/** As version control would put it back. */
function restore(place: Project, tree: Record<string, string>): void {
  for (const [path, text] of Object.entries(tree)) place.write(path, text);
}

const stream = (id: string, more: object = {}) => ({
  [id]: { name: id, owns: [`${id}.txt`], plan: `Change ${id}.`, ...more },
});
const three = { ...stream('a'), ...stream('b'), ...stream('c') };
const files = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' };
const change = ({ prompt }: { prompt: string }) => {
  const id = /# Task: (\w)/.exec(prompt)![1]!;
  return edits(whole(`${id}.txt`, `${id} changed\n`));
};

describe('a run of what did not change', () => {
  it('costs nothing, and says what it saved', async () => {
    const place = project(three, files);
    const before = place.tree();
    model().answer(change);
    const first = await place.run(server);
    expect(first.totals).toMatchObject({ cachedCalls: 0, savedUsd: 0 });
    restore(place, before);
    const second = await place.run(server);
    expect(second.status).toBe('complete');
    expect(second.totals).toMatchObject({
      costUsd: 0,
      tokens: { input: 0, output: 0 },
      cachedCalls: 3,
    });
    expect(second.totals.savedUsd).toBeCloseTo(first.totals.costUsd!, 9);
    expect(model().calls).toHaveLength(3);
    expect(place.read('b.txt')).toBe('b changed\n');
    restore(place, before);
    expect((await place.run(server, { cache: false })).totals.cachedCalls).toBe(0);
    expect(model().calls).toHaveLength(6);
  });

  it('costs nothing in whatever order streams write new files', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const place = project(Object.assign({}, ...ids.map((id) => stream(id))));
    const before = place.tree();
    model().answer(({ prompt }) => {
      const id = /# Task: (\w)/.exec(prompt)![1]!;
      return edits(whole(`${id}.txt`, 'new\n', 'create'));
    });
    await place.run(server, { concurrency: 1 });
    for (const id of ids) rmSync(join(place.root, `${id}.txt`));
    restore(place, before);
    const second = await place.run(server, { concurrency: 6 });
    expect(second.totals).toMatchObject({ cachedCalls: ids.length, costUsd: 0 });
  });

  it('asks again where a file that is shown is another', async () => {
    const place = project(three, files);
    const before = place.tree();
    model().answer(change);
    await place.run(server);
    restore(place, { ...before, 'b.txt': 'TWO\n' });
    await place.run(server);
    expect(model().calls).toHaveLength(4);
    expect(model().calls[3]!.prompt).toContain('TWO');
  });

  it('asks again for what failed, and for that alone', async () => {
    const checked = stream('b', { verify: ['grep -q good b.txt'] });
    const place = project({ ...stream('a'), ...checked }, files);
    model().answer(change);
    expect((await place.run(server, { maxAttempts: 1 })).status).toBe('failed');
    model().answer(() => edits(replace('b.txt', 'two', 'good')));
    expect((await place.run(server)).status).toBe('complete');
    expect(model().calls).toHaveLength(3);
  });

  it('takes what a fix came to, and does not fail first', async () => {
    const checked = stream('b', { verify: ['grep -q good b.txt'] });
    const place = project(checked, files);
    const before = place.tree();
    model().answer(({ prompt }) =>
      edits(replace('b.txt', 'two', prompt.includes('# What went wrong') ? 'good' : 'bad')),
    );
    expect((await place.run(server)).totals.fixes).toBe(1);
    restore(place, before);
    const second = await place.run(server);
    expect(second.totals).toMatchObject({ cachedCalls: 1, costUsd: 0, fixes: 0 });
    expect(place.read('b.txt')).toBe('good\n');
    expect(model().calls).toHaveLength(2);
  });

  it('takes a whole conversation from before', async () => {
    const place = project(stream('a'), files);
    const before = place.tree();
    model().answer(({ number }) =>
      edits(replace('a.txt', number === 1 ? 'nowhere' : 'one', 'changed')),
    );
    await place.run(server);
    restore(place, before);
    expect((await place.run(server)).totals).toMatchObject({ cachedCalls: 2, costUsd: 0 });
    expect(place.read('a.txt')).toBe('changed\n');
    expect(model().calls).toHaveLength(2);
  });
});
