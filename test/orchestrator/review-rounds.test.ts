// A review that asks for changes: the run makes them, and what it made comes back for review.
import { describe, expect, it } from 'vitest';
import { findRun, stateOfRun } from '../../src/orchestrator/project/find-run.ts';
import { placeIn } from './apply-project.ts';
import {
  ask,
  commentOn,
  numbered,
  openRound,
  opened,
  replyWith,
  submit,
} from './review-project.ts';
import { useProjects } from './use-projects.ts';

const { server, project: create } = useProjects();

const OLD = numbered(60);
const lines = (...changes: [number, string][]) =>
  changes.reduce((text, [line, by]) => text.replace(`line ${line}\n`, `${by}\n`), OLD);
const NEW = lines([5, 'five'], [30, 'thirty'], [55, 'last']);

const edit = (path: string, content: string) => ({ type: 'edit', path, content });
const change = (path: string, from: string, to: string) => ({
  type: 'edit',
  path,
  edits: [{ search: `${from}\n`, replace: `${to}\n` }],
});

function project(fixes: string[], verify: string[] = []) {
  const plan = [replyWith([edit('a.txt', NEW)]), ...fixes].join('\n');
  return create(
    {
      a: { name: 'a', owns: ['a.txt'], plan, verify },
      b: {
        name: 'b',
        owns: ['b.md'],
        deps: ['a'],
        plan: replyWith([{ type: 'create', path: 'b.md', content: 'b\n' }]),
        verify: ['! grep -q wrong a.txt || { echo "b cannot use it"; exit 1; }'],
      },
    },
    { 'a.txt': OLD },
  );
}

describe('a review that asks for changes', () => {
  it('takes back, makes what is suggested, and has the stream do the rest', async () => {
    const place = project([replyWith([change('a.txt', 'thirty', 'better')], 'a-fix-1')]);
    expect((await place.run(server)).status).toBe('complete');
    const comments = [
      await commentOn(place.root, { path: 'a.txt', line: 30, text: 'Another word, please.' }),
      await commentOn(place.root, { path: 'a.txt', line: 5, text: '', suggestion: 'FIVE' }),
    ];
    await ask(place.root, comments, ['a.txt 2']);
    const submitted = await submit(place.root, { verdict: 'changes' });
    expect(submitted).toMatchObject({ kind: 'round', rejected: 1, files: ['a.txt'] });
    expect(submitted.round).toMatchObject({
      number: 1,
      fixes: [{ stream: 'a', fix: 'a-fix-1', comments: [comments[0]![0]] }],
      placed: [comments[1]![0]],
      left: [],
    });
    expect(place.read('a.txt')).toBe(lines([5, 'FIVE'], [30, 'thirty']));
    expect(await openRound(place.root)).toMatchObject({ round: 1, state: 'interrupted' });
    await expect(opened(place.root)).rejects.toMatchObject({ code: 'CONFLICT' });
    const run = await place.run(server);
    expect(run).toMatchObject({ status: 'complete', runId: submitted.runId });
    expect(run.of('a-fix-1')).toContain('stream.applied');
    expect(run.of('b').filter((type) => type !== 'stream.status')).toEqual([]);
    expect(place.read('a.txt')).toBe(lines([5, 'FIVE'], [30, 'better']));
    const again = await opened(place.root);
    expect(again).toMatchObject({ round: 2, comments: new Map() });
    expect(again.carried.map(({ outcome, outdated }) => [outcome, outdated])).toEqual([
      ['Done by a-fix-1.', true],
      ['Done as suggested.', true],
    ]);
    const [a] = again.files.filter(({ change: { path } }) => path === 'a.txt');
    expect(a!.hunks.map(({ id }) => again.decisions.get(id)?.kind)).toEqual([undefined, undefined]);
    const at = placeIn(place.root);
    expect(stateOfRun(at.stateDir, await findRun(at.stateDir, undefined))).toBe('complete');
  });
});
