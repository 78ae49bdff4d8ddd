// A step that creates a file which came with the task with another text would overwrite it.
import { expect, it } from 'vitest';
import { createFileTree } from '../../src/domain/execution/file-tree.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { artifactOf, clientOf, planOf, replyOf } from './execution.ts';

const server = useServer();

const MINE = 'what I wrote\n';

async function run(operation: Record<string, unknown>, more = '') {
  const plan = planOf({ a: `owns: [notes.md]` });
  return ended(`${plan} ${replyOf('a', artifactOf([operation]))} ${more}`);
}

async function ended(task: string, files: string[] = []) {
  const client = clientOf(server(), (await server().createKey()).key);
  const context = { files, contents: { 'notes.md': MINE } };
  return client.ended(await client.start({ task, context }));
}

it('is a conflict, and no artifact comes of it', async () => {
  verifies('artifact.apply.create-conflict');
  const done = await run({ type: 'create', path: 'notes.md', content: 'something else\n' });
  expect(done).toMatchObject({ status: 'failed', result: { error: { code: 'CONFLICT' } } });
  expect(done.result?.error?.message).toContain('notes.md');
  expect(done.result?.artifacts).toEqual([]);
  // The model was told, and had the chance to edit it instead.
  const { rows } = await server().db.query<{ jobs: number; told: boolean }>(
    `select count(*)::int as jobs, bool_or(prompt like '%edit it instead%') as told
     from jobs where execution_id = $1 and stream_id = 'a'`,
    [done.id],
  );
  expect(rows).toEqual([{ jobs: 3, told: true }]);
});

it('with the same text, or as an edit, is fine', async () => {
  const same = await run({ type: 'create', path: 'notes.md', content: MINE });
  expect(same.status).toBe('completed');
  const edited = await run({ type: 'edit', path: 'notes.md', content: 'something else\n' });
  expect(edited.result?.artifacts[0]?.operations).toMatchObject([{ type: 'edit' }]);
});

it('may be created anew when an earlier step made or removed it', () => {
  const tree = createFileTree({ 'a.md': MINE });
  const create = (path: string, content: string) =>
    tree.play({ type: 'create', path, content }).kind;
  expect(create('a.md', 'other')).toBe('misfit');
  expect(create('b.md', 'one')).toBe('fits');
  expect(create('b.md', 'two')).toBe('fits');
  tree.play({ type: 'delete', path: 'a.md' });
  expect(create('a.md', 'other')).toBe('fits');
});

it('a file that was only named is neither deleted nor replaced as a whole', async () => {
  for (const operation of [
    { type: 'delete', path: 'secret.md' },
    { type: 'edit', path: 'secret.md', content: 'mine now\n' },
  ]) {
    const task = `${planOf({ a: 'owns: [secret.md]' })} ${replyOf('a', artifactOf([operation]))}`;
    const done = await ended(task, ['secret.md']);
    expect(done).toMatchObject({
      status: 'failed',
      result: { error: { code: 'ARTIFACT_INVALID' } },
    });
    expect(done.result?.error?.message).toContain('secret.md was not shown');
  }
  const operation = { type: 'edit', path: 'new.md', content: 'new\n' };
  const task = `${planOf({ a: 'owns: [new.md]' })} ${replyOf('a', artifactOf([operation]))}`;
  const [artifact] = (await ended(task)).result!.artifacts;
  expect(artifact?.operations).toEqual([{ type: 'create', path: 'new.md', content: 'new\n' }]);
});

it('a whole text does not drop what an earlier step added', async () => {
  // With a new file, so that the two are not one stream: they wait for each other.
  const plan = planOf({ a: 'owns: [notes.md]', b: 'owns: [notes.md, new.md]\ndeps: [a]' });
  const add = { oldText: MINE, newText: `${MINE}first feature\n` };
  const first = replyOf('a', artifactOf([{ type: 'edit', path: 'notes.md', edits: [add] }]));
  const second = (content: string) =>
    replyOf('b', artifactOf([{ type: 'edit', path: 'notes.md', content }]));
  const dropping = await ended(`${plan} ${first} ${second(`${MINE}second feature\n`)}`);
  expect(dropping.result?.error).toMatchObject({ code: 'ARTIFACT_INVALID' });
  expect(dropping.result?.error?.message).toContain('first feature');
  const keeping = await ended(`${plan} ${first} ${second(`${MINE}first feature\nsecond\n`)}`);
  expect(keeping.status).toBe('completed');
});
