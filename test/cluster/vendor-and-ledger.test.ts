// The comparison by which examples/cluster/patroni/failover judges: it must see what it looks for.
import { beforeEach, expect, test } from 'vitest';
import { compareBooks } from '../../examples/cluster/patroni/program/books.ts';
import { useVendorJobs } from '../providers/vendor-jobs.ts';
import { waitUntil } from '../support/processes.ts';

const jobs = useVendorJobs();
beforeEach(() => jobs().vendors.reset());

let count = 0;
const freshName = () => `books-${++count}`;

async function runOne(name: string): Promise<string> {
  const prompt = `[[vendor:reply id=${name} input=40 chunks=6]]`;
  const jobId = await jobs().submit('compatible', prompt, { body: { streamId: name } });
  expect(await jobs().finished(jobId)).toMatchObject({ status: 'completed' });
  await waitUntil(() => jobs().vendors.calls({ id: name })[0]?.finished, 'the end of the call');
  return jobId;
}

const booksOf = (name: string) =>
  compareBooks(jobs().server.db, jobs().vendors.calls({ id: name }));
const NONE = { calls: 0, input: 0, output: 0 };

test('a whole answer is in the ledger to the token', async () => {
  const name = freshName();
  await runOne(name);
  const whole = { calls: 1, input: 40, output: 6 };
  expect(await booksOf(name)).toEqual({
    vendor: { whole, brokenOff: NONE },
    ledger: { exact: whole, estimated: NONE },
    repeated: [],
    unequal: [],
  });
});

test('a call that its worker stopped is an estimate, and nothing else', async () => {
  const name = freshName();
  const prompt = `[[vendor:reply id=${name} chunks=1000 pace=50]]`;
  const jobId = await jobs().submit('compatible', prompt, {
    body: { streamId: name, maxTokens: 2000 },
  });
  await waitUntil(() => jobs().vendors.calls({ id: name })[0]?.pieces, 'the first words');
  await jobs().server.call('POST', `/api/v1/job/${jobId}/cancel`, { key: jobs().apiKey });
  await waitUntil(async () => {
    const { vendor, ledger } = await booksOf(name);
    return ledger.estimated.calls === 1 && vendor.brokenOff.calls === 1;
  }, 'the estimate');
  const { vendor, ledger, repeated, unequal } = await booksOf(name);
  expect([vendor.whole, ledger.exact, repeated, unequal]).toEqual([NONE, NONE, [], []]);
});

test.each([
  ['tokens that the ledger lacks', 'delete from usage_ledger where job_id = $1'],
  [
    'tokens too many',
    'update usage_ledger set tokens_output = tokens_output + 1 where job_id = $1',
  ],
  [
    'an answer that is only estimated',
    'update usage_ledger set estimated = true where job_id = $1',
  ],
  [
    'an estimate of a call that never was',
    `insert into usage_ledger (job_id, attempt, team_id, user_id, provider, model, tokens_input,
       tokens_output, tokens_cached, tokens_cache_write, estimated, outcome)
     select job_id, attempt + 1, team_id, user_id, provider, model, 9, 0, 0, 0, true, 'lost'
     from usage_ledger where job_id = $1`,
  ],
])('it sees %s', async (_, statement) => {
  const name = freshName();
  const jobId = await runOne(name);
  await jobs().server.db.query(statement, [jobId]);
  const { unequal } = await booksOf(name);
  expect(unequal.length).toBeGreaterThan(0);
  for (const what of unequal) expect(what).toContain(name);
});

test('it sees an answer that was asked for again, whole or broken off', async () => {
  const name = freshName();
  await runOne(name);
  const [call] = jobs().vendors.calls({ id: name });
  const later = { ...call!, startedAt: call!.endedAt! + 1 };
  for (const again of [later, { ...later, finished: false }]) {
    const { repeated } = await compareBooks(jobs().server.db, [call!, again]);
    expect(repeated).toEqual([name]);
  }
  // Broken off first, and whole then, is how it should be.
  const before = { ...call!, finished: false, startedAt: call!.startedAt - 1 };
  const { repeated } = await compareBooks(jobs().server.db, [before, call!]);
  expect(repeated).toEqual([]);
});
