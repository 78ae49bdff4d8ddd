// Runners, servers and the database of a team killed again and again, while they make what was asked for.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunRequest, RunRequestPage } from '../../src/contract/run-request-api.ts';
import { SCOPES } from '../../src/contract/permissions.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { feature, reply } from '../orchestrator/project.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { createKeyIn } from '../support/chaos/accounts.ts';
import { untilAllEnded } from '../support/chaos/check-tables.ts';
import { useCleanup } from '../support/chaos/cleanup.ts';
import { createRandom } from '../support/chaos/random.ts';
import { createDataFolder, launchServer } from '../support/chaos/server-process.ts';
import type { ServerProcess } from '../support/chaos/server-process.ts';
import { PATIENT_MS } from '../support/database-mode.ts';
import { effort } from '../support/effort.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';
import { makeRunnerWorld } from './runner-world.ts';
import type { RunnerProcess } from './runner-world.ts';

const REQUESTS = effort(40);
/** A request may cost four runners, and no more: kills are few beside it. */
const KILLS = effort(8);
/** What a model takes for a stream: with more effort there is more time to be killed in. */
const DELAY_MS = effort(1200);
const PROJECTS = ['shop', 'depot'] as const;
const STREAMS = ['a', 'b', 'c'];
const RUNNERS = ['one', 'two', 'three'] as const;
const SETTINGS = { MILLRACE_RUNNER_LEASE_SECONDS: '4' };

const cleanup = useCleanup();

/** Two streams at once, and one that needs the first of them. No two requests ask the same of a model. */
function manifestOf(count: number): string {
  const stream = (id: string, more: object = {}) => ({
    name: id,
    owns: [`${id}.txt`],
    plan: `[[sim:delay ${DELAY_MS}]] ${reply({ [`${id}.txt`]: `${id} ${count}\n` })}`,
    ...more,
  });
  const streams = { a: stream('a'), b: stream('b', { deps: ['a'] }), c: stream('c') };
  return feature(streams, { model: 'sim-instant' });
}

test.skipIf(NO_SANDBOX !== undefined)(
  'what is asked for is made once, whatever is killed meanwhile',
  async () => {
    verifies('runners.taken-over', 'runners.claimed-once', 'runners.fence');
    const random = createRandom();
    const world = makeRunnerWorld();
    cleanup(() => world.remove());
    const data = await createDataFolder();
    cleanup(() => data.remove());
    const launch = (options: Parameters<typeof launchServer>[0]): ServerProcess => {
      const server = launchServer({ settings: SETTINGS, slots: 16, ...options });
      cleanup(() => server.kill('SIGKILL'));
      return server;
    };
    // The first one keeps the database, which ends with it.
    let first = launch({ dataDir: data.path });
    const url = await first.ready();
    const firstPort = Number(new URL(url).port);
    /** The database may be elsewhere after its server has started again. */
    const database = () => {
      const db = openDb({ url: data.databaseUrl(), poolSize: 1, silenceMs: PATIENT_MS });
      cleanup(() => db.close());
      return db;
    };
    let second = launch({ databaseUrl: data.databaseUrl() });
    const secondUrl = await second.ready();
    const port = Number(new URL(secondUrl).port);
    const key = await createKeyIn(database(), 'enterprise', SCOPES);
    /** As whatever keeps services running does: a node that finds no database ends, and is started again. */
    const restartSecond = async () => {
      await second.kill('SIGKILL');
      await waitUntil(async () => {
        try {
          second = launch({ databaseUrl: data.databaseUrl(), port });
          return await second.ready();
        } catch (error) {
          if (!/DATABASE_UNREACHABLE|No database runs/.test(String(error))) throw error;
          return undefined;
        }
      }, 'the second server to start again');
    };

    async function call<T>(method: string, path: string, body?: object): Promise<T> {
      return waitUntil(async () => {
        // Between its end and its next start nobody is there.
        const answer = await fetch(url + path, {
          method,
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        }).catch(() => undefined);
        if (answer === undefined || answer.status >= 500) return undefined;
        const text = await answer.text();
        if (!answer.ok) throw new Error(text);
        return JSON.parse(text) as T & {};
      }, `${method} ${path}`);
    }
    async function all(): Promise<RunRequest[]> {
      const found: RunRequest[] = [];
      for (let before = ''; ;) {
        const path = `/v1/run-requests?limit=100${before}`;
        const { items, nextCursor } = await call<RunRequestPage>('GET', path);
        found.push(...items);
        if (nextCursor === null) return found;
        before = `&before=${nextCursor}`;
      }
    }

    const repositories = PROJECTS.map(
      (name) => world.repository(name, { 'README.md': name }).folder,
    );
    const running = new Map<string, RunnerProcess>();
    const startRunner = async (name: string) => {
      const at = name === 'one' ? url : secondUrl;
      const home = join(world.base, `home-${name}`);
      const repos = repositories.flatMap((folder, index) => [
        '--repo',
        `file://${folder}=${PROJECTS[index]}`,
      ]);
      const args = ['--concurrency', '2', ...repos];
      running.set(name, await world.start({ url: at }, key, { name, args, home }));
    };
    await Promise.all(RUNNERS.map(startRunner));

    const outputs = () => [...running].map(([name, it]) => `${name}: ${it.output()}`).join('\n');
    const ids: string[] = [];
    for (let count = 0; count < REQUESTS; count += 1) {
      const project = random.pick(PROJECTS);
      const body = { project, manifest: { text: manifestOf(count) } };
      ids.push((await call<{ id: string }>('POST', '/v1/run-requests', body)).id);
    }

    /** In turns, each where it hits something. */
    const kills = [
      async (under: RunRequest[]) => {
        const name = random.pick(under).runner!.name;
        await running.get(name)!.kill();
        await startRunner(name);
      },
      restartSecond,
      async (under: RunRequest[]) => {
        const name = random.pick(under).runner!.name;
        await running.get(name)!.kill();
        await startRunner(name);
      },
      () => data.killDatabase(),
      async (under: RunRequest[]) => {
        const name = random.pick(under).runner!.name;
        await running.get(name)!.kill();
        await startRunner(name);
      },
      async () => {
        await first.kill('SIGKILL');
        first = launch({ dataDir: data.path, port: firstPort });
        await first.ready();
        await restartSecond();
      },
    ];
    let killed = 0;
    for (; killed < KILLS; killed += 1) {
      const ended = (await all()).filter(({ endedAt }) => endedAt !== null).length;
      const under = await waitUntil(async () => {
        const now = await all();
        const busy = now.filter(({ status, runId }) => status === 'running' && runId !== null);
        const isFurther = now.filter(({ endedAt }) => endedAt !== null).length > ended;
        if (now.every(({ endedAt }) => endedAt !== null)) return [];
        return busy.length > 0 && (isFurther || random.chance(0.1)) ? busy : undefined;
      }, 'requests to be made');
      if (under.length === 0) break;
      await kills[killed % kills.length]!(under);
    }
    expect(killed).toBeGreaterThan(2);
    const done = await waitUntil(async () => {
      const now = await all();
      return now.every(({ endedAt }) => endedAt !== null) ? now : undefined;
    }, 'every request to end');

    const db = database();
    expect(done.map(({ id }) => id).sort()).toEqual([...ids].sort());
    for (const request of done) {
      const { id, project, base, attempts, runIds, outcome, runner } = request;
      expect(request, `${id}: ${outcome?.message}\n${outputs()}`).toMatchObject({
        status: 'completed',
      });
      const bare = join(
        world.base,
        `home-${runner!.name}/state/millrace/runner/repositories/${project}/bare.git`,
      );
      const git = (...args: string[]) =>
        execFileSync('git', args, { cwd: bare, encoding: 'utf8' }).trim().split('\n');
      const branch = outcome!.branch!;
      expect(git('log', '--format=%s', `${base}..${branch}`).sort(), id).toEqual(STREAMS);
      expect(git('ls-tree', '-r', '--name-only', branch), id).toEqual([
        'README.md',
        ...STREAMS.map((each) => `${each}.txt`),
      ]);
      for (const each of STREAMS) {
        expect(git('show', `${branch}:${each}.txt`)).toEqual([`${each} ${ids.indexOf(id)}`]);
      }
      // What was under way at a kill may be asked again; what was answered before is kept.
      const { rows } = await db.query<{ stream: string; calls: number }>(
        `select stream_id as stream, count(*)::int as calls from jobs where run_id = any($1)
         group by 1 order by 1`,
        [runIds],
      );
      expect(
        rows.map((row) => row.stream),
        `${id} ${String(runIds)}`,
      ).toEqual(STREAMS);
      const most = Math.max(...rows.map((row) => row.calls));
      expect(most, `${id} ${JSON.stringify(rows)}`).toBeLessThanOrEqual(attempts);
      const calls = rows.reduce((sum, row) => sum + row.calls, 0);
      expect(calls, id).toBeLessThanOrEqual(STREAMS.length + 2 * (attempts - 1));
    }
    await untilAllEnded(db);
    console.log(JSON.stringify({ killed, attempts: done.map(({ attempts }) => attempts) }));
  },
);
