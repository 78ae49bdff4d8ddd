// What runners cost that wait for work: CPU and connections of one node, beside the same node without them.
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { now } from '../harness/clock.ts';
import type { Stage } from '../harness/stage.ts';
import type { Figure } from '../report.ts';

const RUNNERS = 200;
const WATCHED_MS = 30_000;
/** Until all of them wait. */
const SETTLE_MS = 5000;

async function connectionsOf(stage: Stage): Promise<number> {
  const { rows } = await stage.db.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  return rows[0]!.count;
}

async function watch(stage: Stage): Promise<{ cpu: number; connections: number; rss: number }> {
  const before = await stage.usage();
  const startedAt = now();
  await delay(WATCHED_MS);
  const after = await stage.usage();
  const cpu = (100 * (after.cpuMs - before.cpuMs)) / (now() - startedAt);
  return { cpu, connections: await connectionsOf(stage), rss: after.rss };
}

export async function measureIdleRunners(stage: Stage): Promise<Figure[]> {
  await stage.db.query(`update api_keys set scopes = array['admin']`);
  const without = await watch(stage);
  // Each runner is a machine of its own, with a connection that it keeps.
  const dispatcher = new Agent({ connections: RUNNERS });
  const stop = new AbortController();
  const send = async (path: string, body: object) => {
    const reply = await fetch(stage.url + path, {
      method: 'POST',
      headers: { 'x-api-key': stage.key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: stop.signal,
      dispatcher,
    });
    const answer = (await reply.json()) as Record<string, unknown>;
    if (!reply.ok) throw new Error(JSON.stringify(answer));
    return answer;
  };
  const announced = await Promise.all(
    Array.from({ length: RUNNERS }, (_, count) =>
      send('/v1/runners', {
        name: `idle-${count}`,
        version: '0.1.0',
        platform: 'linux x64',
        concurrency: 2,
        cores: 4,
        sandbox: true,
        projects: [{ name: 'shop' }],
      }),
    ),
  );
  let polls = 0;
  const wait = async ({ id, session, leaseSeconds }: Record<string, unknown>) => {
    while (!stop.signal.aborted) {
      await send(`/v1/runners/${String(id)}/poll`, {
        session,
        free: 2,
        wait: Math.min(20, Number(leaseSeconds) / 3),
      });
      polls += 1;
    }
  };
  const waiting = announced.map((runner) =>
    wait(runner).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    }),
  );
  await delay(SETTLE_MS);
  polls = 0;
  const busy = await watch(stage);
  const perSecond = polls / (WATCHED_MS / 1000);
  stop.abort();
  await Promise.all(waiting);
  await dispatcher.destroy();
  const what = `${RUNNERS} idle runners`;
  return [
    { id: 'P24', what: `CPU of a node with ${what}`, value: busy.cpu, unit: '% of a core' },
    { id: 'P24', what: 'the same without', value: without.cpu, unit: '% of a core' },
    { id: 'P24', what: `asking of ${what}`, value: perSecond, unit: 'calls/s' },
    {
      id: 'P24',
      what: `connections to the database with ${what}`,
      value: busy.connections,
      unit: 'connections',
    },
    { id: 'P24', what: 'the same without', value: without.connections, unit: 'connections' },
    {
      id: 'P24',
      what: `memory of a node for each of ${what}`,
      value: (busy.rss - without.rss) / RUNNERS / 1024,
      unit: 'KiB',
    },
  ];
}
