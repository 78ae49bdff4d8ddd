// Gates of a manifest: runs that ask on the server before they act.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import type { ListedApproval } from '../../src/client/index.ts';
import { projectionOf } from '../../src/domain/run/projection.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';
import { feature, reply } from './project.ts';
import type { Project, Ran } from './project.ts';
import { useProjects, writes } from './use-projects.ts';

const { server, node, projectOf } = useProjects();

const client = () => new MillraceClient(server.url, server.key);

/** The next question of the project's run that is open. */
function nextQuestion(about: string): Promise<ListedApproval> {
  return waitUntil(async () => {
    const { items } = await client().approvals.list({ status: 'open' });
    return items.find(({ title }) => title.includes(about));
  }, `a question about ${about}`);
}

const answer = ({ id, hash }: ListedApproval, decision: 'approve' | 'deny', comment?: string) =>
  client().approvals.resolve(id, { decision, hash, ...(comment && { comment }) });

const eventOf = ({ events }: Ran, type: string) => events.find((event) => event.type === type);

const contentsOf = (place: Project) => {
  const { 'millrace.yaml': _, ...tree } = place.tree();
  return tree;
};

describe('changes that a person has to approve', () => {
  it('are not written when they are denied: what depends on them is blocked, the rest continues', async () => {
    verifies('approvals.denied');
    const place = projectOf(
      feature({
        a: writes('a', { approve: ['changes'] }),
        b: writes('b', { deps: ['a'] }),
        c: writes('c'),
      }),
    );
    const running = place.run(server);
    const asked = await nextQuestion('changes of a');
    expect((await client().approvals.get(asked.id)).detail).toContain('+a');
    await answer(asked, 'deny', 'Not before the release.');
    const ran = await running;
    expect(ran.status).toBe('failed');
    expect(contentsOf(place)).toEqual({ 'c.txt': 'c\n' });
    const denied = eventOf(ran, 'stream.denied');
    const by = asked.requestedBy.email;
    const error = `${by} denied the changes of a: Not before the release.`;
    expect(denied).toMatchObject({ stream: 'a', what: 'changes', by, denied: true, error });
    expect(eventOf(ran, 'run.failed')).toMatchObject({ reason: error });
    const { streams } = projectionOf(ran.events);
    const statuses = [...streams.values()].map(({ id, status }) => `${id} ${status}`);
    expect(statuses.sort()).toEqual(['a skipped', 'b blocked', 'c complete']);
    expect(streams.get('a')).toMatchObject({ isDenied: true, error });
    expect(place.streams()['a']).toMatchObject({ status: 'skipped', error });

    // A new run asks anew; what was denied is not done.
    const second = place.run(server);
    await answer(await nextQuestion('changes of a'), 'approve');
    expect((await second).status).toBe('complete');
    expect(contentsOf(place)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
  });

  it('are asked about together, while other streams write', async () => {
    const place = projectOf(feature({ a: writes('a'), b: writes('b') }, { approve: ['changes'] }));
    const running = place.run(server);
    const [a, b] = [await nextQuestion('changes of a'), await nextQuestion('changes of b')];
    await Promise.all([answer(a, 'approve'), answer(b, 'approve')]);
    const ran = await running;
    expect(ran.status).toBe('complete');
    const waits = ran.events.filter((event) => event.type === 'stream.waiting');
    expect(waits.filter(({ reason }) => reason === 'approval')).toHaveLength(2);
  });

  it('are asked about again when they are others by the time they would be written', async () => {
    verifies('approvals.acts-on-hash');
    const edit = { type: 'edit', path: 'a.txt', edits: [{ oldText: 'old', newText: 'new' }] };
    const block = { status: 'complete', operations: [edit], summary: 'Done' };
    const plan = reply({}).replace(/\{"status".*\}/, JSON.stringify(block));
    const place = projectOf(
      feature({ a: { name: 'a', owns: ['a.txt'], plan, approve: ['changes'] } }),
      { 'a.txt': 'old\n' },
    );
    const running = place.run(server);
    const first = await nextQuestion('changes of a');
    writeFileSync(join(place.root, 'a.txt'), 'old\nand a line of the user\n');
    await answer(first, 'approve');
    const second = await nextQuestion('changes of a');
    expect([second.id, second.hash]).not.toEqual([first.id, first.hash]);
    expect(contentsOf(place)).toEqual({ 'a.txt': 'old\nand a line of the user\n' });
    await answer(second, 'approve');
    expect((await running).status).toBe('complete');
    expect(contentsOf(place)).toEqual({ 'a.txt': 'new\nand a line of the user\n' });
  });

  it('that nobody approves in time are denied', async () => {
    const place = projectOf(feature({ a: writes('a', { approve: ['changes'] }) }));
    const running = place.run(server);
    const { id } = await nextQuestion('changes of a');
    await node().db.query('update approvals set expires_at = now() where id = $1', [id]);
    const ran = await running;
    expect(ran.status).toBe('failed');
    expect(eventOf(ran, 'stream.denied')).toMatchObject({
      error: 'Nobody approved the changes of a in time.',
    });
    expect(contentsOf(place)).toEqual({});
  });

  it('are not asked about any more when the run is stopped, and asked again when it is resumed', async () => {
    const place = projectOf(feature({ a: writes('a', { approve: ['changes'] }) }));
    const stop = new AbortController();
    const running = place.run(server, { stop: stop.signal });
    const asked = await nextQuestion('changes of a');
    stop.abort();
    expect((await running).status).toBe('cancelled');
    expect(await client().approvals.get(asked.id)).toMatchObject({ status: 'withdrawn' });
    const again = place.run(server);
    await answer(await nextQuestion('changes of a'), 'approve');
    expect((await again).status).toBe('complete');
  });
});

describe('a plan that a person has to approve', () => {
  const manifest = () => feature({ a: writes('a') }, { approve: ['plan'] });

  it('costs nothing until then, and nothing when it is denied', async () => {
    verifies('approvals.plan');
    const place = projectOf(manifest());
    const running = place.run(server);
    const asked = await nextQuestion('Run test: 1 stream');
    const { detail } = await client().approvals.get(asked.id);
    expect(detail).toContain('writes: a.txt');
    expect(detail).toContain('sim-instant');
    await answer(asked, 'deny');
    const ran = await running;
    expect(ran.status).toBe('failed');
    const reason = `${asked.requestedBy.email} denied the plan.`;
    expect(eventOf(ran, 'run.failed')).toMatchObject({ reason });
    expect(eventOf(ran, 'stream.call')).toBeUndefined();
    expect(contentsOf(place)).toEqual({});
  });

  it('is run once it is approved', async () => {
    const place = projectOf(manifest());
    const running = place.run(server);
    await answer(await nextQuestion('Run test: 1 stream'), 'approve');
    expect((await running).status).toBe('complete');
    expect(contentsOf(place)).toEqual({ 'a.txt': 'a\n' });
  });
});
