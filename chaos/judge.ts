// Whether everything that was promised holds, once all is calm again.
import { findContradictions } from '../test/support/chaos/check-tables.ts';
import { ALL_JOBS } from '../test/support/ledger-sums.ts';
import { waitUntil } from '../test/support/processes.ts';
import { canaryOf } from './load.ts';
import type { Load } from './load.ts';
import type { World } from './world.ts';

/** Jobs end, executions end, deliveries are made: those that wait for minutes are asked for now. */
export async function untilCalm({ db }: World): Promise<void> {
  await waitUntil(async () => {
    await db.query(
      // Those that a node has just locked are seen by it anyway.
      `update webhook_deliveries set due_at = now() where id in (
         select id from webhook_deliveries where status = 'pending' and not leased for update skip locked)`,
    );
    const { rows } = await db.query(
      `select 1 from jobs where status in ('pending', 'running') or settled_at is null
       union all select 1 from executions where status in ('planning', 'running', 'pending')
       union all select 1 from webhook_deliveries where status = 'pending' limit 1`,
    );
    return rows.length === 0;
  }, 'the end of every job, execution and delivery');
}

async function strangers({ db }: World, { history }: Load): Promise<string[]> {
  const ids = history.jobIds();
  const { rows } = await db.query<{ id: string }>(
    `select id from ${ALL_JOBS} j where id = any($1)`,
    [ids],
  );
  const there = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !there.has(id)).map((id) => `I1: ${id} was acknowledged and is gone`);
}

async function cancels({ db }: World, { cancelled }: Load): Promise<string[]> {
  const { rows } = await db.query<{ id: string; error_code: string | null; status: string }>(
    `select id, status, error_code from ${ALL_JOBS} j where id = any($1)`,
    [[...cancelled]],
  );
  return rows
    .filter(({ status, error_code }) => status !== 'failed' || error_code !== 'CANCELLED')
    .map(({ id, status }) => `I8: ${id} was cancelled and is ${status}`);
}

async function webhooks({ db, receiver }: World, { executions }: Load): Promise<string[]> {
  const { rows } = await db.query<{ id: string; execution_id: string; event: string }>(
    'select id, execution_id, event from webhook_events where execution_id = any($1)',
    [[...executions]],
  );
  const received = new Set(
    receiver.on('/hook').map(({ headers }) => String(headers['webhook-id'])),
  );
  const unheard = rows
    .filter(({ id }) => !received.has(id))
    .map(({ id, event }) => `I5: ${event} ${id} was never received`);
  const ended = new Set(
    rows
      .filter(({ event }) => /\.(completed|failed|cancelled)$/.test(event))
      .map((row) => row.execution_id),
  );
  const silent = [...executions].filter((id) => !ended.has(id)).map((id) => `I5: no end of ${id}`);
  return [...unheard, ...silent];
}

/** However it is cut, no stretch of time has more than the rate allows, but for the database's crashes. */
function pace({ crashes }: World, { paced: { perMinute, times } }: Load): string[] {
  const since = (time: number) => crashes.filter(({ from }) => from <= time).length;
  const isSure = (time: number) => !crashes.some(({ from, to }) => from <= time && time <= to);
  for (const part of Object.values(Object.groupBy(times.filter(isSure), since))) {
    for (const [from, begun] of part!.entries()) {
      for (const [count, time] of part!.slice(from).entries()) {
        const allowed = perMinute + (perMinute * (time - begun)) / 60_000 + 1;
        if (count + 1 > allowed) return [`I7: ${count + 1} requests, ${allowed} are allowed`];
      }
    }
  }
  return [];
}

function logs({ nodes }: World, { teams }: Load): string[] {
  return nodes.flatMap((node) => {
    const log = node.log();
    return teams.flatMap(({ name, key }) => [
      ...(log.includes(canaryOf(name)) ? [`I9: the log of ${node.name} has a prompt`] : []),
      ...(log.includes(key) ? [`I10: the log of ${node.name} has an API key`] : []),
    ]);
  });
}

/** Nothing is broken any more: every request is answered, and answered well. */
async function calmAnswers(world: World, { teams }: Load): Promise<string[]> {
  const found: string[] = [];
  for (const node of world.nodes.filter(({ role }) => role === 'api')) {
    const key = teams[0]!.key;
    await waitUntil(async () => {
      const ready = await fetch(`${node.url()}/readyz`).catch(() => undefined);
      return ready?.status === 200;
    }, `${node.name} to be ready`);
    for (let count = 0; count < 20; count++) {
      const { status } = await fetch(`${node.url()}/api/v1/history?limit=5`, {
        headers: { 'x-api-key': key },
      });
      if (status >= 500) found.push(`I11: ${node.name} answered ${status} when all was calm`);
    }
  }
  return found;
}

export async function judge(world: World, load: Load): Promise<string[]> {
  for (const jobId of load.history.jobIds()) {
    const owner = load.teams.find(({ name }) => load.history.keyOf(jobId)?.startsWith(name));
    await owner?.client.look(jobId);
  }
  const { limit, accepted } = load.metered;
  return [
    ...(await strangers(world, load)),
    ...load.history.violations().map((what) => (what.startsWith('I') ? what : `I2: ${what}`)),
    ...(await findContradictions(world.db, { mayFail: ['CANCELLED'] })).map(
      (what) => `I3/I4: ${what}`,
    ),
    ...(await webhooks(world, load)),
    ...(accepted > limit ? [`I6: ${accepted} runs were accepted, ${limit} are allowed`] : []),
    ...pace(world, load),
    ...(await cancels(world, load)),
    ...logs(world, load),
    ...(await calmAnswers(world, load)),
    ...world.surprises.map((what) => `I13: ${what}`),
  ];
}
