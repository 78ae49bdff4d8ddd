import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { MOST_STREAMS } from '../../src/services/access-watch.ts';
import { artifactOf } from '../executions/execution.ts';
import { openEvents } from '../support/sse.ts';
import type { EventReader } from '../support/sse.ts';
import { useNodes } from '../support/use-server.ts';
import { waitUntil } from '../support/processes.ts';
import { createRunProject, eventsIn, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';

const nodes = useNodes(2);
const server = () => nodes()[0]!;
let project: RunProject;
const readers: EventReader[] = [];
beforeEach(async () => {
  project = await createRunProject(server());
});
afterEach(async () => {
  readers.splice(0).forEach((reader) => reader.close());
  await project.remove();
});

const keyOf = ({ settings }: RunProject) => settings['MILLRACE_API_KEY']!;

async function follow(key: string, topics: string, lastEventId?: string, node = server()) {
  const headers = { 'x-api-key': key, ...(lastEventId ? { 'last-event-id': lastEventId } : {}) };
  const reader = await openEvents(`${node.url}/api/v1/events?topics=${topics}`, headers);
  readers.push(reader);
  return reader;
}

const eventsOf = (data: Record<string, unknown>) =>
  (data['data'] as { events?: RunEvent[] }).events ?? [];

/** Everything about the run up to its end. */
async function eventsOn(reader: EventReader): Promise<RunEvent[]> {
  const isLast = ({ data }: { data: Record<string, unknown> }) =>
    eventsOf(data).some(({ type }) => /^run\.(?:completed|failed|cancelled)$/.test(type));
  return (await reader.until(isLast)).flatMap(({ data }) => eventsOf(data));
}

it('a run can be followed on any node, from any event on, with what it changed', async () => {
  const key = keyOf(project);
  const text = await project.read('feature.yaml');
  const ran = await project.millrace([
    'run',
    'feature.yaml',
    '--yes',
    '--max-cost',
    '5',
    '--json',
    '--progress',
    'json',
  ]);
  expect(ran.code).toBe(0);
  const journal = eventsIn(ran.stdout).filter(({ type }) => type !== 'stream.progress');
  const runId = (journal[0] as Extract<RunEvent, { type: 'run.started' }>).runId;

  const reader = await follow(key, `run:${runId}`, undefined, nodes()[1]);
  expect(await eventsOn(reader)).toEqual(journal);
  expect(journal[0]).toMatchObject({ maxCostUsd: 5 });
  const models = journal.flatMap((event) => (event.type === 'stream.call' ? [event.model] : []));
  expect(new Set(models)).toEqual(new Set(['sim-fast']));

  const resumed = await follow(key, `run:${runId}`, `run%3A${runId}=7`);
  expect((await eventsOn(resumed)).map(({ seq }) => seq)).toEqual(
    journal.slice(7).map(({ seq }) => seq),
  );

  const made = await server().call('GET', `/api/v1/runs/${runId}/manifest`, { key });
  expect(made.body).toEqual({ manifest: { text, isCut: false } });

  const { body } = await server().call('GET', `/api/v1/runs/${runId}/changes`, { key });
  const streams = body['streams'] as { streamId: string; files: Record<string, unknown>[] }[];
  const fix = streams.find(({ streamId }) => streamId === 'search-fix-1');
  expect(fix?.files).toMatchObject([{ path: 'src/search.ts', kind: 'create', additions: 8 }]);
  expect(fix?.files[0]?.['patch']).toContain('+++ b/src/search.ts');
  // Rolled back: what it wrote is not there any more.
  expect(streams.find(({ streamId }) => streamId === 'search')?.files ?? []).toEqual([]);

  const history = await server().call('GET', '/api/v1/history', { key });
  expect((history.body['items'] as object[])[0]).toMatchObject({
    id: runId,
    status: 'complete',
    models: ['sim-fast'],
    live: { done: 6, total: 6, waves: 3, isLive: false, simulated: true },
  });
});

it('a private run tells nothing', async () => {
  await project.write('m.yaml', manifestOf([{ id: 'a' }]));
  const ran = await project.millrace([
    'run',
    'm.yaml',
    '--private',
    '--json',
    '--progress',
    'json',
  ]);
  expect(ran.code).toBe(0);
  const runId = (eventsIn(ran.stdout)[0] as Extract<RunEvent, { type: 'run.started' }>).runId;
  const { rows } = await server().db.query('select 1 from run_reports where run_id = $1', [runId]);
  expect(rows).toEqual([]);
  const { body } = await server().call('GET', `/api/v1/history/${runId}`, { key: keyOf(project) });
  expect(body['run']).not.toHaveProperty('live');
});

it('a run is seen while it goes on, and stopped from elsewhere', async () => {
  const key = keyOf(project);
  const text = manifestOf([{ id: 'a', directives: '[[sim:hang]]' }], 'sim-fast');
  const long = `# ${key}\n${text}# ${'ä'.repeat(200_000)}\n`;
  await project.write('m.yaml', long);
  const team = await follow(key, 'team');
  const running = project.start(['run', 'm.yaml', '--json', '--progress', 'json']);
  const news = await team.until(({ data }) => 'runs' in (data['data'] as object));
  const [runId] = (news.at(-1)!.data['data'] as { runs: string[] }).runs;
  const reader = await follow(key, `run:${runId}`);
  await reader.until(({ data }) => eventsOf(data).some(({ type }) => type === 'stream.job'));
  const history = await server().call('GET', `/api/v1/history/${runId}`, { key });
  expect(history.body['run']).toMatchObject({ status: 'in_progress', live: { isLive: true } });

  const { body } = await server().call('GET', `/api/v1/runs/${runId}/manifest`, { key });
  const { text: told, isCut } = body['manifest'] as { text: string; isCut: boolean };
  expect(isCut).toBe(true);
  expect(told).not.toContain(key);
  expect(told).toMatch(/^# \S+\nfeature: Test\n/);
  expect(told).toMatch(/ä$/);
  expect(Buffer.byteLength(told)).toBeLessThanOrEqual(262_144);
  expect(Buffer.byteLength(told)).toBeGreaterThan(262_140);

  const cancelled = await server().call('POST', `/api/v1/runs/${runId}/cancel`, { key });
  expect(cancelled.body).toEqual({ cancelled: true });
  expect(await running.ended).toBe(130);
  const events = await eventsOn(reader);
  expect(events.at(-1)?.type).toBe('run.cancelled');
  const again = await server().call('POST', `/api/v1/runs/${runId}/cancel`, { key });
  expect(again.body).toEqual({ cancelled: false });
});

const SUMMARY = { done: 0, failed: 0, total: 1, wave: 1, waves: 1, simulated: false };
const MODELS = ['claude-next', 'gpt-next'];
const note = (seq: number) => ({
  v: 1,
  seq,
  ts: '2026-01-01T00:00:00.000Z',
  type: 'run.note',
  code: 'X',
  message: `note ${seq}`,
});

async function report(key: string, runId: string, events: object[]) {
  const body = { name: 'Test', events, summary: { ...SUMMARY, models: MODELS } };
  return server().call('POST', `/api/v1/runs/${runId}/events`, { key, body });
}

it('takes each event once, in order, and leaves none out', async () => {
  const { key } = await server().createKey();
  expect((await report(key, 'r-order', [note(1), note(2)])).body['lastSeq']).toBe(2);
  // Sent again after an answer that was lost, and with a hole.
  expect((await report(key, 'r-order', [note(2), note(3)])).body['lastSeq']).toBe(3);
  expect((await report(key, 'r-order', [note(5)])).body['lastSeq']).toBe(3);
  const both = [report(key, 'r-order', [note(4)]), report(key, 'r-order', [note(4), note(5)])];
  await Promise.all(both);
  const { rows } = await server().db.query('select seq from run_events order by seq');
  expect(rows.map((row) => (row as { seq: number }).seq)).toEqual(
    expect.arrayContaining([1, 2, 3, 4]),
  );
  const unfit = await report(key, 'r-order', [{ ...note(9), type: 'stream.started' }]);
  expect(unfit.status).toBe(400);
});

it('belongs to the team that reported it', async () => {
  const [own, other] = [await server().createKey(), await server().createKey()];
  await report(own.key, 'r-own', [note(1)]);
  const changes = await server().call('GET', '/api/v1/runs/r-own/changes', { key: other.key });
  expect(changes.status).toBe(403);
  // The other topics continue.
  const jobId = await server().submit(other.key);
  const reader = await follow(other.key, `run:r-own,run:r-none,job:${jobId}`);
  const ends: Record<string, unknown> = {};
  await reader.until(({ event, data }) => {
    if (event !== 'refused' && event !== 'done') return false;
    const { code } = data['data'] as { code?: string };
    ends[String(data['topic'])] = code ?? event;
    return Object.keys(ends).length === 3;
  });
  expect(ends).toEqual({
    'run:r-own': 'FORBIDDEN',
    'run:r-none': 'NOT_FOUND',
    [`job:${jobId}`]: 'done',
  });
});

it('what a page or a run asks for does not use up the requests of the key', async () => {
  const { key } = await server().createKey({ tier: 'trial' });
  for (let seq = 1; seq <= 70; seq++) {
    expect((await report(key, 'r-many', [note(seq)])).status).toBe(200);
  }
  const state = await server().call('GET', '/api/v1/history', { key });
  expect(state.status).toBe(200);
});

it('a reader is told when nothing is heard of the run any more', async () => {
  const { key } = await server().createKey();
  await report(key, 'r-lost', [note(1)]);
  const run = { feature: 'Test', status: 'in_progress', startedAt: note(1).ts };
  const recorded = await server().call('PUT', '/api/v1/history/r-lost', {
    key,
    body: { run, streams: [] },
  });
  // No job of it is known yet.
  expect(recorded.body['run']).toMatchObject({ models: MODELS });
  const reader = await follow(key, 'run:r-lost');
  await reader.until(({ event, data }) => event === 'progress' && isLive(data));
  await server().db.query(
    `update run_reports set reported_at = now() - interval '2 minutes' where run_id = 'r-lost'`,
  );
  await reader.until(({ event, data }) => event === 'progress' && !isLive(data));
});

function isLive(data: Record<string, unknown>): boolean {
  return (data['data'] as { isLive: boolean }).isLive;
}

it('a stream ends when its reader may not read any more', async () => {
  const { key, id } = await server().createKey();
  const jobId = await server().submit(key, { prompt: '[[sim:hang]]' });
  const one = await follow(key, `team,job:${jobId}`);
  const other = await openEvents(`${nodes()[1]!.url}/api/v1/job/${jobId}/events`, {
    'x-api-key': key,
  });
  readers.push(other);
  await one.next();
  await other.next();
  await server().revokeKey(id);
  await one.rest();
  await other.rest();
  const again = await follow(key, 'team');
  expect(again.response.status).toBe(401);
});

/** A file whose patch has so many characters. */
const changed = (streamId: string, length: number) => ({
  streamId,
  files: [{ path: 'a', kind: 'edit', additions: 1, deletions: 0, patch: '+'.repeat(length) }],
});

async function reportChanges(key: string, runId: string, changes: object[]) {
  const body = { name: 'Test', events: [], summary: SUMMARY, changes };
  return server().call('POST', `/api/v1/runs/${runId}/events`, { key, body });
}

it('keeps 32 MiB of a run and 1 GiB of a team, and refuses what is more whole', async () => {
  const { key, email } = await server().createKey();
  const seven = (n: number) =>
    Array.from({ length: 7 }, (_, at) => changed(`s-${n}-${at}`, 1_000_000));
  for (const n of [1, 2, 3, 4]) {
    expect((await reportChanges(key, 'r-large', seven(n))).status).toBe(200);
  }
  const listed = async () =>
    (await server().call('GET', '/api/v1/runs/r-large/changes', { key })).body[
      'streams'
    ] as object[];
  expect(await reportChanges(key, 'r-large', seven(5))).toMatchObject({
    status: 413,
    body: {
      error: { code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('32 MiB') as string },
    },
  });
  expect(await listed()).toHaveLength(28);
  // Events still fit, and so does what replaces something longer.
  expect((await report(key, 'r-large', [note(1)])).body['lastSeq']).toBe(1);
  const shorter = seven(1).map(({ streamId }) => changed(streamId, 10));
  expect((await reportChanges(key, 'r-large', shorter)).status).toBe(200);
  expect((await reportChanges(key, 'r-large', seven(5))).status).toBe(200);

  await server().db.query(
    `update run_reports set stored_bytes = 1024 * 1024 * 1024 where team_id = $1`,
    [await server().teamId(email)],
  );
  expect(await reportChanges(key, 'r-next', seven(1))).toMatchObject({ status: 413 });
  expect((await report(key, 'r-next', [note(1)])).status).toBe(200);
});

it('a run whose changes the server has no room for is still followed to its end', async () => {
  const key = keyOf(project);
  const content = 'word\\n'.repeat(6000);
  const block = artifactOf([{ type: 'create', path: 'out/b.md', content: 'CONTENT' }]);
  const reply = block.replace('CONTENT', content).replaceAll('\n', '\n      ');
  const large = `[[sim:reply]]\n      ${reply}[[/sim:reply]]`;
  const waits = ['node -e "setInterval(() => fs.existsSync(\'go\') && process.exit(), 50)"'];
  const streams = [
    { id: 'a', verify: waits },
    { id: 'b', deps: ['a'], directives: large },
  ];
  await project.write('m.yaml', manifestOf(streams));
  const team = await follow(key, 'team');
  const running = project.start(['run', 'm.yaml', '--yes', '--json', '--progress', 'json']);
  const news = await team.until(({ data }) => 'runs' in (data['data'] as object));
  const [runId] = (news.at(-1)!.data['data'] as { runs: string[] }).runs;
  // Room for events, but not for a patch of 36 KB.
  await waitUntil(async () => {
    const { rowCount } = await server().db.query(
      'update run_reports set stored_bytes = 32 * 1024 * 1024 - 20000 where run_id = $1',
      [runId],
    );
    return rowCount === 1;
  }, 'the report of the run');
  await project.write('go', '');
  expect(await running.ended).toBe(0);
  const events = await eventsOn(await follow(key, `run:${runId}`));
  expect(events.at(-1)?.type).toBe('run.completed');
  const { body } = await server().call('GET', `/api/v1/runs/${runId}/changes`, { key });
  expect((body['streams'] as { streamId: string }[]).map(({ streamId }) => streamId)).toEqual([
    'a',
  ]);
});

it('a user has at most so many streams open, and others are not held up by them', async () => {
  const [busy, other] = [await server().createKey(), await server().createKey()];
  await server().db.query('update users set requests_per_minute = 100000 where email = $1', [
    busy.email,
  ]);
  for (let n = 0; n < MOST_STREAMS / 50; n++) {
    await Promise.all(Array.from({ length: 50 }, () => follow(busy.key, 'team')));
  }
  const { response } = await follow(busy.key, 'team');
  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  const jobId = await server().submit(busy.key);
  const path = `/api/v1/job/${jobId}/events`;
  expect((await server().call('GET', path, { key: busy.key })).status).toBe(429);
  const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} };
  const tools = await server().call('POST', '/mcp', { key: busy.key, body: listen });
  expect(tools.status).toBe(429);
  expect((await follow(other.key, 'team')).response.status).toBe(200);
  readers[0]!.close();
  await expect
    .poll(async () => (await follow(busy.key, 'team')).response.status, { timeout: 30_000 })
    .toBe(200);
});
