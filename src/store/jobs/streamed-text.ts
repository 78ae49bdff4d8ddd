// The text of running jobs, on its way to readers. Kept until the job ends; from then on the
// output itself is the text. Positions count UTF-16 units, like string offsets.
import type { Db, Queryable } from '../postgres/db.ts';
import { fromJsonText, toJsonText } from '../postgres/json-text.ts';

export interface TextChunk {
  jobId: string;
  /** Goes up when a job starts its text anew: another attempt, or a retried model call. */
  generation: number;
  offset: number;
  text: string;
}

export async function insertText(db: Queryable, chunks: readonly TextChunk[]): Promise<void> {
  await db.query(
    {
      name: 'insert_text',
      // Not for jobs that ended meanwhile: their text would stay for ever.
      text: `insert into streamed_text (job_id, generation, start_offset, chunk)
             select v.job_id, v.generation, v.start_offset, v.chunk
             from unnest($1::text[], $2::smallint[], $3::int[], $4::text[])
               v(job_id, generation, start_offset, chunk)
             join jobs j on j.id = v.job_id and j.status = 'running'
             on conflict do nothing`,
    },
    [
      chunks.map((chunk) => chunk.jobId),
      chunks.map((chunk) => chunk.generation),
      chunks.map((chunk) => chunk.offset),
      chunks.map((chunk) => toJsonText(chunk.text)),
    ],
  );
}

interface TextRow {
  generation: number;
  start_offset: number;
  chunk: string;
}

/** Chunks of the latest generation that reach past `offset` (of `generation`, else from 0). */
export async function listText(
  db: Db,
  jobId: string,
  generation: number,
  offset: number,
): Promise<Omit<TextChunk, 'jobId'>[]> {
  const { rows } = await db.read<TextRow>(
    {
      name: 'list_text',
      text: `select generation, start_offset, chunk from streamed_text
             where job_id = $1
               and generation = (select max(generation) from streamed_text where job_id = $1)
               and (generation > $2::int or start_offset >= coalesce((
                 select max(start_offset) from streamed_text
                 where job_id = $1 and generation = $2::int and start_offset <= $3), 0))
             order by start_offset`,
    },
    [jobId, generation, offset],
  );
  return rows.map((row) => ({
    generation: row.generation,
    offset: row.start_offset,
    text: fromJsonText(row.chunk),
  }));
}

/** Text left behind by jobs that ended, or never had a row, after a crash in between. */
export async function deleteStrayText(db: Queryable): Promise<void> {
  await db.query(
    `delete from streamed_text t where not exists (
       select 1 from jobs j where j.id = t.job_id and j.status in ('pending', 'running'))`,
  );
}
