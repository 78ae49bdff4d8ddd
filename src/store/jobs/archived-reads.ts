// Reads of single jobs that may have moved. Beside the reads of current jobs, which share a connection: what was
// archived long ago may have to come from the disk.
import { timeOfId } from '../../platform/ids.ts';
import type { Db } from '../postgres/db.ts';
import { sqlState } from '../postgres/errors.ts';
import { createReadsById } from '../postgres/reads-by-id.ts';
import { ARCHIVED_JOBS, partitionOf } from './archive-partitions.ts';

const NO_SUCH_TABLE = '42P01';
/** A month that has to come from the disk waits for itself alone, and not for one page after the other. */
const READS_AT_ONCE = 2;

const textOf = (columns: string, table: string, isOurs: string) =>
  `select ${columns}, false as "isArchived" from jobs where id ${isOurs}
   union all select ${columns}, true from ${table} where id ${isOurs}`;

/**
 * Finds a job wherever it is, by one statement. The month of a job is named where it is known to be there: such a
 * statement is planned once, asks for no other month, and reads the jobs that are looked for at the same time.
 */
export function createArchivedReads<Row extends { id: string }>(
  db: Db,
  { name, columns, maxBatch }: { name: string; columns: string; maxBatch: number },
) {
  const months = new Map<string, (id: string) => Promise<Row | undefined>>();

  function readerOf(month: string) {
    const statement = { name: `${name}_${month}`, text: textOf(columns, month, '= any($1)') };
    return createReadsById<Row>({
      read: (ids) => db.query(statement, [ids]),
      maxBatch,
      maxConcurrent: READS_AT_ONCE,
    });
  }

  return async (id: string): Promise<Row | undefined> => {
    const madeAt = timeOfId(id);
    const month = madeAt && partitionOf(madeAt);
    const read = month === undefined ? undefined : months.get(month);
    if (month !== undefined && read !== undefined) {
      try {
        return await read(id);
      } catch (error) {
        if (sqlState(error) !== NO_SUCH_TABLE) throw error;
        months.delete(month);
      }
    }
    // Without a name it is planned for the id, and so for its partition alone.
    const { rows } = await db.query<Row & { isArchived: boolean }>(
      textOf(columns, ARCHIVED_JOBS, '= $1'),
      [id],
    );
    if (rows[0]?.isArchived === true && month !== undefined && !months.has(month)) {
      months.set(month, readerOf(month));
    }
    return rows[0];
  };
}
