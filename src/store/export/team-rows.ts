// Everything that a team has, row by row, for its export.
import { jobsOfRun, readJobsOfRun } from '../jobs/archived-jobs.ts';
import type { MovedJobs } from '../jobs/archived-jobs.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import { columnOf, columnsOf } from '../jobs/job-fields.ts';
import type { JobField } from '../jobs/job-fields.ts';
import { readTexts } from '../jobs/archived-texts.ts';
import type { TextStore } from '../jobs/archived-texts.ts';
import type { Queryable } from '../postgres/db.ts';
import { fromJsonText } from '../postgres/json-text.ts';
import { LARGE_PAGE, PAGE, pageOf, pages, pagesBy, parsed } from './pages.ts';
import type { PageRow, ReadPage, Row, Rows } from './pages.ts';

const RUNS = pageOf(
  'runs where team_id = $1',
  [
    'id',
    'user_id as userId',
    'feature',
    'status',
    'source',
    'stream_count as streamCount',
    'wave_count as waveCount',
    'tokens_input as tokensInput',
    'tokens_output as tokensOutput',
    'cost_usd as costUsd',
    'started_at as startedAt',
    'ended_at as endedAt',
  ],
  { time: 'started_at', id: 'id' },
);

export const runsOf = (db: Queryable, teamId: string): Rows => pages(db, RUNS, teamId);

const JOB_FIELDS = [
  'id',
  'userId',
  'runId',
  'streamId',
  'provider',
  'model',
  'simulated',
  'maxTokens',
  'prompt',
  'conversation',
  'status',
  'output',
  'artifact',
  'toolCalls',
  'opaqueAnswer',
  'error',
  'errorCode',
  'tokensInput',
  'tokensOutput',
  'tokensCached',
  'costUsd',
  'queuedAt',
  'startedAt',
  'endedAt',
  'textsKey',
] as const satisfies JobField[];

const JOB_COLUMNS = JOB_FIELDS.map((field) => `${columnOf(field)} as ${field}`);

const READ_COLUMNS = columnsOf(JOB_FIELDS);

/** From wherever they are, also when they move between two pages. */
function jobsOfOne(db: Queryable, key: RunKey): Rows {
  let known: MovedJobs | undefined;
  const readPage: ReadPage = (values) =>
    readJobsOfRun(db, { ...key, moved: known }, (run) => {
      known = run.moved;
      const jobs = jobsOfRun(READ_COLUMNS, run, values.length + 1);
      const text = pageOf(`${jobs.sql} j where $1::text is not null`, JOB_COLUMNS, { id: 'id' });
      return db.query<PageRow>(text, [...values, ...jobs.values]);
    });
  return pagesBy(readPage, key.runId, LARGE_PAGE);
}

/** With those texts that are kept elsewhere. */
async function* withTexts(rows: Rows, texts: TextStore | undefined): Rows {
  for await (const { textsKey, ...row } of rows) {
    if (typeof textsKey !== 'string') yield row;
    else {
      const { promptParts: _p, partialOutput: _o, ...stored } = await readTexts(texts, textsKey);
      yield { ...row, ...stored };
    }
  }
}

const TEXT_FIELDS = [
  'prompt',
  'conversation',
  'output',
  'artifact',
  'toolCalls',
  'opaqueAnswer',
  'error',
];

/** Run by run: jobs are found by their run. */
export async function* jobsOf(db: Queryable, teamId: string, texts?: TextStore): Rows {
  for await (const run of runsOf(db, teamId)) {
    const key = { teamId, runId: String(run['id']) };
    yield* parsed(withTexts(jobsOfOne(db, key), texts), TEXT_FIELDS);
  }
}

const STREAMS = `select json_build_object('runId', run_id, 'streamId', stream_id, 'name', name,
    'status', status, 'waveNumber', wave_number, 'filesChanged', files_changed,
    'tokensInput', tokens_input, 'tokensOutput', tokens_output, 'costUsd', cost_usd, 'model', model) as row
  from run_streams where team_id = $1 and run_id = $2 order by position`;

/** Those that a client recorded; other streams are jobs. */
export async function* streamsOf(db: Queryable, teamId: string): Rows {
  for await (const run of runsOf(db, teamId)) {
    if (run['source'] !== 'client') continue;
    const { rows } = await db.query<{ row: Row }>(STREAMS, [teamId, run['id']]);
    for (const { row } of rows) {
      yield { ...row, filesChanged: fromJsonText(String(row['filesChanged'])) };
    }
  }
}

const EXECUTIONS = pageOf(
  'executions where team_id = $1',
  [
    'id',
    'user_id as userId',
    'run_id as runId',
    'status',
    'task',
    'context',
    'provider',
    'model',
    'result',
    'created_at as createdAt',
    'ended_at as endedAt',
  ],
  { id: 'id' },
);

export const executionsOf = (db: Queryable, teamId: string): Rows =>
  parsed(pages(db, EXECUTIONS, teamId, LARGE_PAGE), ['task', 'context', 'result']);

/** Without secrets. */
const WEBHOOKS = pageOf(
  'webhooks where team_id = $1 and execution_id is null',
  [
    'id',
    'user_id as userId',
    'url',
    'events',
    'format',
    'description',
    'status',
    'created_at as createdAt',
  ],
  { id: 'id' },
);

const SCHEDULES = pageOf(
  'schedules where team_id = $1',
  [
    'id',
    'user_id as userId',
    'name',
    'cron',
    'time_zone as timeZone',
    'every_seconds as everySeconds',
    'work::jsonb as work',
    'catch_up as catchUp',
    'overlap',
    'budget_usd as budgetUsdPerMonth',
    'pause_after_failures as pauseAfterFailures',
    'status',
    'paused_reason as pausedReason',
    'created_at as createdAt',
  ],
  { id: 'id' },
);

const TRIGGERS = pageOf(
  'triggers where team_id = $1',
  [
    'id',
    'user_id as userId',
    'name',
    'kind',
    'repository',
    'events',
    'filters::jsonb as filters',
    'work::jsonb as work',
    'overlap',
    'budget_usd as budgetUsdPerMonth',
    'pause_after_failures as pauseAfterFailures',
    'status',
    'paused_reason as pausedReason',
    'created_at as createdAt',
  ],
  { id: 'id' },
);

export const triggersOf = (db: Queryable, teamId: string): Rows => pages(db, TRIGGERS, teamId);

export const schedulesOf = (db: Queryable, teamId: string): Rows => pages(db, SCHEDULES, teamId);

export const webhooksOf = (db: Queryable, teamId: string): Rows => pages(db, WEBHOOKS, teamId);

const AUDIT = pageOf(
  'audit_events where team_id = $1',
  ['id', 'at', 'user_id as userId', 'credential', 'address', 'action', 'target', 'before', 'after'],
  { id: 'id' },
);

export const auditOf = (db: Queryable, teamId: string): Rows => pages(db, AUDIT, teamId);

/** One row an attempt of a job: what the sums of usage are made of. */
const USAGE = pageOf(
  'usage_ledger where team_id = $1',
  [
    'job_id as jobId',
    'attempt',
    'user_id as userId',
    'api_key_id as apiKeyId',
    'provider',
    'model',
    'tokens_input as tokensInput',
    'tokens_output as tokensOutput',
    'tokens_cached as tokensCached',
    'cost_usd as costUsd',
    'estimated',
    'recorded_at as recordedAt',
  ],
  { time: 'recorded_at', id: `(job_id || '.' || lpad(attempt::text, 5, '0'))` },
);

export const usageOf = (db: Queryable, teamId: string): Rows => pages(db, USAGE, teamId, PAGE * 10);
