// Large texts of archived jobs in an object store: one object a job, compressed. It is written before the row that
// names it, so a row never names what is not there.
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { ServiceError } from '../../contract/errors.ts';
import { timeOfId } from '../../platform/ids.ts';
import type { ObjectStore } from '../../platform/object-store.ts';
import type { Db, Queryable } from '../postgres/db.ts';

const compress = promisify(gzip);
const expand = promisify(gunzip);

export interface TextStore {
  objects: ObjectStore;
  /** Jobs with fewer bytes of text stay in the database whole. */
  leastBytes: number;
}

/** Each is JSON text, as in the database. */
export interface JobTexts {
  prompt: string;
  promptParts: string | null;
  /** Absent, like the two others, in what was stored before conversations were known. */
  conversation?: string | null;
  output: string | null;
  artifact: string | null;
  toolCalls?: string | null;
  opaqueAnswer?: string | null;
  partialOutput: string | null;
}

/** What of a row is in the object, beside the prompt. */
export const OPTIONAL_TEXTS = [
  'prompt_parts',
  'conversation',
  'output',
  'artifact',
  'tool_calls',
  'opaque_answer',
  'partial_output',
] as const;

/** Known without reading the texts. */
export const textBytes = (table: string) =>
  ['prompt', ...OPTIONAL_TEXTS]
    .map((column) => `coalesce(octet_length(${table}.${column}), 0)`)
    .join(' + ');

/** A new one for each try: so an object of a try that failed can be deleted at any time. */
function newKeyFor(jobId: string): string {
  const month = timeOfId(jobId)?.toISOString().slice(0, 7) ?? 'unknown';
  return `jobs/${month}/${jobId}.${randomBytes(6).toString('hex')}.json.gz`;
}

const LATER = 'Try again in a few seconds.';

/** What a row with a key has outside of the database. */
export async function readTexts(store: TextStore | undefined, key: string): Promise<JobTexts> {
  if (store === undefined) {
    throw new ServiceError(
      'SERVICE_UNAVAILABLE',
      'The text of this job is in an object store that this server has no settings for.',
      { retryAfterSeconds: 60 },
    );
  }
  let body: Buffer | undefined;
  try {
    body = await store.objects.get(key);
  } catch (cause) {
    const message = `The text of this job is in the object store, which does not answer. ${LATER}`;
    throw new ServiceError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5, cause });
  }
  if (body === undefined) {
    throw new ServiceError('NOT_FOUND', 'The text of this job is missing from the object store.');
  }
  return JSON.parse((await expand(body)).toString('utf8')) as JobTexts;
}

/** Before the object is there: whatever happens next, it will not be forgotten. */
const ANNOUNCE = `insert into discarded_texts (key, due_at) values ($1, now() + interval '1 day')`;

const FIND = `select j.prompt, j.prompt_parts as "promptParts", j.conversation, j.output, j.artifact,
    j.tool_calls as "toolCalls", j.opaque_answer as "opaqueAnswer",
    j.partial_output as "partialOutput", ${textBytes('j')} as bytes
  from jobs j where j.id = $1`;

export interface StoredTexts {
  jobId: string;
  key: string;
  /** The row is moved without its texts only if they still are what was stored. */
  bytes: number;
}

/** Undefined when the job is gone. */
export async function storeTexts(
  db: Db,
  store: TextStore,
  jobId: string,
): Promise<StoredTexts | undefined> {
  const { rows } = await db.query<JobTexts & { bytes: number }>(FIND, [jobId]);
  if (rows[0] === undefined) return undefined;
  const { bytes, ...texts } = rows[0];
  const key = newKeyFor(jobId);
  await db.query(ANNOUNCE, [key]);
  await store.objects.put(key, await compress(JSON.stringify(texts)));
  return { jobId, key, bytes };
}

const DUE = `select key from discarded_texts where due_at < now() order by due_at limit $1`;
const AGAIN = `update discarded_texts set due_at = now() + interval '10 minutes' where key = $1`;

async function isNamed(db: Queryable, key: string): Promise<boolean> {
  const jobId = /job_[0-9a-z]+/.exec(key)?.[0] ?? '';
  const { rows } = await db.query('select 1 from archived_jobs where id = $1 and texts_key = $2', [
    jobId,
    key,
  ]);
  return rows.length > 0;
}

/** Deletes objects whose jobs are gone, and those that no row came to name. Returns how many. */
export async function deleteDiscarded(db: Db, store: TextStore, limit: number): Promise<number> {
  const { rows } = await db.query<{ key: string }>(DUE, [limit]);
  let deleted = 0;
  for (const { key } of rows) {
    try {
      if (!(await isNamed(db, key))) {
        await store.objects.delete(key);
        deleted += 1;
      }
    } catch (error) {
      await db.query(AGAIN, [key]);
      throw error;
    }
    await db.query('delete from discarded_texts where key = $1', [key]);
  }
  return deleted;
}
