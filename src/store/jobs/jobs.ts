// Reads of single jobs.
import type { RunKey } from '../../domain/run/run-key.ts';
import { idNow } from '../../platform/ids.ts';
import type { Db, Queryable, Statement } from '../postgres/db.ts';
import { createReadsById } from '../postgres/reads-by-id.ts';
import { createArchivedReads } from './archived-reads.ts';
import { mayHaveMoved } from './archived-jobs.ts';
import { KEY_NAME, fieldsOf } from './job-fields.ts';
import type { JobField, JobFields } from './job-fields.ts';

const ROW_FIELDS = [
  'id',
  'teamId',
  'kind',
  'runId',
  'apiKeyId',
  'executionId',
  'streamId',
  'provider',
  'model',
  'simulated',
  'reasoning',
  'serviceTier',
  'usedServiceTier',
  'status',
  'attempt',
  'queuedAt',
  'startedAt',
  'endedAt',
  'output',
  'artifact',
  'toolCalls',
  'opaqueAnswer',
  'partialOutput',
  'error',
  'errorCode',
  'stopReason',
  'textGeneration',
  'tokensInput',
  'tokensOutput',
  'tokensCached',
  'tokensReasoning',
  'costUsd',
  'unpricedCalls',
  'savedUsd',
  'usageEstimated',
  'textsKey',
] as const satisfies JobField[];

interface Versioned {
  /** Another one after every change of the row. */
  version: string;
}

// The transaction that wrote the row as it is: the database keeps it with every row anyway.
const VERSION = 'xmin::text as version';

export interface JobRow extends Pick<JobFields, (typeof ROW_FIELDS)[number]>, Versioned {
  /** False while the worker of a cancelled job has not yet reported its tokens. */
  settled: boolean;
  apiKeyName: string | null;
}

const ROW_COLUMNS = `${fieldsOf(ROW_FIELDS)}, ${KEY_NAME}, settled_at is not null as settled, ${VERSION}`;

export type JobState = Pick<JobFields, 'id' | 'teamId' | 'status'> & Versioned;

const STATE_COLUMNS = `${fieldsOf(['id', 'teamId', 'status'])}, ${VERSION}`;

export interface JobReads {
  row(id: string): Promise<JobRow | undefined>;
  /** The little that most polls need: a wide row costs several times as much to read. */
  state(id: string): Promise<JobState | undefined>;
}

interface ReadOptions {
  name: string;
  columns: string;
  maxBatch: number;
  now: () => number;
}

function readTogether<Row extends { id: string }>(db: Db, options: ReadOptions) {
  const { name, columns, maxBatch, now } = options;
  const statement: Statement = { name, text: `select ${columns} from jobs where id = any($1)` };
  const findCurrent = createReadsById<Row>({ read: (ids) => db.read(statement, [ids]), maxBatch });
  const findArchived = createArchivedReads<Row>(db, { name, columns, maxBatch });
  return async (id: string): Promise<Row | undefined> => {
    const row = mayHaveMoved(id, now()) ? undefined : await findCurrent(id);
    return row ?? findArchived(id);
  };
}

export function createJobReads(db: Db, now: () => number = idNow): JobReads {
  return {
    // Few, because their texts may be long.
    row: readTogether<JobRow>(db, { name: 'find_jobs', columns: ROW_COLUMNS, maxBatch: 8, now }),
    state: readTogether<JobState>(db, {
      name: 'find_job_states',
      columns: STATE_COLUMNS,
      maxBatch: 256,
      now,
    }),
  };
}

export interface QueueDepth {
  pending: number;
  running: number;
  oldestPendingSeconds: number;
}

export async function findQueueDepth(db: Queryable): Promise<QueueDepth> {
  const { rows } = await db.query<QueueDepth>(
    // Two scans of small partial indexes; one condition over both states would read the whole table.
    `select p.pending, r.running, p.oldest as "oldestPendingSeconds"
     from (select count(*) as pending,
             coalesce(extract(epoch from now() - min(queued_at)), 0)::float8 as oldest
           from jobs where status = 'pending') p,
          (select count(*) as running from jobs where status = 'running') r`,
  );
  return rows[0] ?? { pending: 0, running: 0, oldestPendingSeconds: 0 };
}

/** Jobs of a run that have not ended. */
export async function listOpenJobs(db: Queryable, { teamId, runId }: RunKey): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from jobs where team_id = $1 and run_id = $2 and status in ('pending', 'running')
     order by id`,
    [teamId, runId],
  );
  return rows.map(({ id }) => id);
}

const PLACE_FIELDS = ['id', 'teamId', 'runId', 'executionId'] as const satisfies JobField[];

export type JobPlace = Pick<JobFields, (typeof PLACE_FIELDS)[number]>;

/** Where jobs and executions belong, whichever of the two an id names. */
export async function findPlaces(db: Queryable, ids: readonly string[]): Promise<JobPlace[]> {
  const { rows } = await db.query<JobPlace>(
    `select ${fieldsOf(PLACE_FIELDS)} from jobs where id = any($1)
     union all
     select id, team_id, run_id, id from executions where id = any($1)`,
    [ids],
  );
  return rows;
}
