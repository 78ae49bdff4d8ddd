// A step that creates a file which came with the task with another text would overwrite it.
import { expect, it } from 'vitest';
import { createFileTree } from '../../src/domain/execution/file-tree.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { artifactOf, clientOf, planOf, replyOf } from './execution.ts';

const server = useServer();

const MINE = 'what I wrote\n';

async function run(operation: Record<string, unknown>, more = '') {
  const client = clientOf(server(), (await server().createKey()).key);
  const plan = planOf({ a: `owns: [notes.md]` });
  const task = `${plan} ${replyOf('a', artifactOf([operation]))} ${more}`;
  const context = { contents: { 'notes.md': MINE } };
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
