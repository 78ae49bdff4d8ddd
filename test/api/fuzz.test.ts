import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAIN } from '../support/cli.ts';
import { modeSettings } from '../support/database-mode.ts';
import { startNode } from '../support/processes.ts';
import type { NodeProcess } from '../support/processes.ts';
import { TEST_MASTER_KEY, startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';
import { anyRequest } from './fuzz-request.ts';
import type { Known } from './fuzz-request.ts';
import { sendRaw } from './fuzz-socket.ts';
import type { RawAnswer, RawRequest } from './fuzz-socket.ts';
import { problemOf } from './fuzz-verdict.ts';
import { ROUTES, describedRoutes, nameOf, readApiDocument, routesInSource } from './route-table.ts';
import type { ApiDocument } from './route-table.ts';
import { SEED, effort } from '../support/effort.ts';

// TEST_EFFORT=4 sends ten thousand.
const REQUESTS = effort(2_500);
const AT_ONCE = 20;
const WARM_BATCHES = 50;
// Caches fill (ended jobs alone may take 64 MiB), and the heap and the allocator take what they are given: 10,000
// requests add 120 to 170 MiB, 50,000 about 280, of which a heap dump calls 82 live in all. A leak of a request's
// body would add gigabytes.
const MAX_GROWTH_MIB = 250 + Math.max(0, REQUESTS - 10_000) * 0.006;
/** What a node says after seconds without an answer of its database: the machine's doing, no request's. */
const STOOD_STILL = 'could not reach the database; stopping all model calls';

// Odd requests are for this server alone: nothing listens where its vendors should be.
const NO_VENDORS = Object.fromEntries(
  ['ANTHROPIC', 'OPENAI', 'GOOGLE', 'OPENROUTER'].map((name) => [
    `MILLRACE_${name}_BASE_URL`,
    'http://127.0.0.1:1/v1',
  ]),
);

// The server under attack is a process of its own: a crash shows, and its memory is its own.
let maker: TestServer;
let victim: NodeProcess;
let url: string;
let document: ApiDocument;
let known: Known;

beforeAll(async () => {
  maker = await startTestServer({ role: 'api' });
  victim = startNode(MAIN, ['serve', '--port', '0', '--json'], {
    env: {
      ...process.env,
      ...NO_VENDORS,
      DATABASE_URL: maker.databaseUrl,
      MILLRACE_MASTER_KEY: TEST_MASTER_KEY,
      MILLRACE_LOG_LEVEL: 'error',
      MILLRACE_PROCESSES: '1',
      ...modeSettings(),
    },
  });
  url = (await victim.waitFor(/"url":"([^"]+)"/))[1]!;
  document = await readApiDocument(url);
  const { key, email } = await maker.createKey();
  const expired = await maker.createKey({ expiresInDays: 0.000001 });
  const narrow = await maker.createKey({ scopes: ['billing'] });
  const jobIds = await Promise.all([
    maker.submit(key, { prompt: 'one', runId: 'fuzz-run' }),
    maker.submit(key, { prompt: '[[sim:refused]]' }),
  ]);
  await Promise.all(jobIds.map((jobId) => maker.finished(key, jobId)));
  const teams = await maker.db.query<{ id: string; mine: boolean }>(
    'select t.id, u.email = $1 as mine from teams t join users u on u.id = t.personal_user_id',
    [email],
  );
  known = {
    key,
    badKeys: [expired.key, narrow.key, 'mill_sk_0', `${key}x`, key.toUpperCase()],
    jobIds,
    runIds: ['fuzz-run', 'fuzz-new', jobIds[1].replace('job_', 'run_')],
    teamIds: teams.rows.map((team) => team.id),
  };
});

afterAll(async () => {
  await victim?.kill('SIGTERM');
  await maker?.close();
});

async function residentMib(): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 1024 / 1024;
}

function describeBoth(request: RawRequest, answer: RawAnswer | undefined): string {
  const body = request.body.subarray(0, 1000).toString('latin1');
  const sent = JSON.stringify({ ...request, body, bodyBytes: request.body.length });
  const got = JSON.stringify({ ...answer, headers: [...(answer?.headers ?? [])] });
  return `  to ${sent.slice(0, 2500)}\n  is ${got.slice(0, 1500)}`;
}

it('has a table of routes that names every route of the server', () => {
  verifies('http.surface.jobs');
  const table = ROUTES.map(nameOf).sort();
  expect(routesInSource().sort()).toEqual(table);
  const hidden = ROUTES.filter(({ kind }) => ['public', 'tools', 'model'].includes(kind)).map(
    nameOf,
  );
  expect([...describedRoutes(document), ...hidden].sort()).toEqual(table);
});

// Ends only what hangs; with more effort it takes as much longer.
const LIMIT = { timeout: 300_000 + REQUESTS * 60 };

it(
  `answers ${REQUESTS} odd requests in order, without a fault and without growing`,
  LIMIT,
  async () => {
    verifies('http.error.envelope', 'http.error.table', 'http.error.framework', 'http.request-id');
    const port = Number(new URL(url).port);
    let batches = 0;
    let before = 0;
    const seen = new Map<string, number>();
    const problems = new Map<string, string>();
    const requests = fc.array(anyRequest(known), { minLength: AT_ONCE, maxLength: AT_ONCE });
    // Goes on after a problem, so that one run shows all of them.
    const property = fc.asyncProperty(requests, async (batch) => {
      // From here on: the code is compiled and the caches are warm.
      if (++batches === WARM_BATCHES) before = await residentMib();
      const answers = await Promise.all(batch.map((request) => sendRaw(port, request)));
      batch.forEach((request, index) => {
        const answer = answers[index];
        const problem = problemOf(request, answer, document);
        seen.set(`${answer?.status}`, (seen.get(`${answer?.status}`) ?? 0) + 1);
        if (problem !== undefined) {
          const where = `${request.method} ${request.target.slice(0, 16)}`.slice(0, 20);
          problems.set(`${where}: ${answer?.status} ${problem}`, describeBoth(request, answer));
        }
      });
    });
    const run = await fc.check(property, { numRuns: Math.ceil(REQUESTS / AT_ONCE) });
    expect(run.errorInstance, `TEST_SEED=${SEED}`).toBeNull();
    const list = [...problems].map(([problem, both]) => `${problem}\n${both}`).join('\n\n');
    expect(problems.size, `TEST_SEED=${SEED}\n${list}\n`).toBe(0);
    const after = await residentMib();
    const statuses = [...seen].map(([status, count]) => `${status}: ${count}`).sort();
    console.log(`memory ${Math.round(before)} -> ${Math.round(after)} MiB; ${statuses.join(', ')}`);
    // Every usual kind of answer was met, or the requests have become too wild to reach the routes. The
    // rare ones (403, 422) may be missing by chance, and have tests of their own.
    for (const status of ['200', '202', '400', '401', '404', '405', '413', '415']) {
      expect(seen.get(status), status).toBeGreaterThan(0);
    }
    expect(after - before).toBeLessThan(MAX_GROWTH_MIB);
    const errors = victim
      .output()
      .split('\n')
      .filter((line) => /"level":[56]0/.test(line) && !line.includes(STOOD_STILL));
    expect(errors).toEqual([]);
  },
);

it('still runs jobs afterwards', async () => {
  const jobId = await maker.submit(known.key);
  expect(await maker.finished(known.key, jobId)).toMatchObject({ status: 'completed' });
});
