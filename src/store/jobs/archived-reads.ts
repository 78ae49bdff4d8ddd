// Reads of single jobs that may have moved. Beside the reads of current jobs, which share a connection: what was
// archived long ago may have to come from the disk.
import { timeOfId } from '../../platform/ids.ts';
import type { Db } from '../postgres/db.ts';
import { sqlState } from '../postgres/errors.ts';
import { ENDED_JOBS, partitionOf } from './ended-partitions.ts';

const NO_SUCH_TABLE = '42P01';

const textOf = (columns: string, table: string) =>
  `select ${columns}, false as "isArchived" from jobs where id = $1
   union all select ${columns}, true from ${table} where id = $1`;

/**
 * Finds a job wherever it is, by one statement. The month of a job is named where it is known to be there: such a
 * statement is planned once, and asks for no other month.
 */
export function createArchivedReads<Row>(db: Db, name: string, columns: string) {
  const months = new Set<string>();

  async function read(id: string, table: string) {
    // Without a name it is planned for the id, and so for its partition alone.
    const isMonth = table !== ENDED_JOBS;
    const statement = {
      text: textOf(columns, table),
      ...(isMonth && { name: `${name}_${table}` }),
    };
    const { rows } = await db.query<Row & { isArchived: boolean }>(statement, [id]);
    return rows[0];
  }

  return async (id: string): Promise<Row | undefined> => {
    const madeAt = timeOfId(id);
    const month = madeAt && partitionOf(madeAt);
    if (month !== undefined && months.has(month)) {
      try {
        return await read(id, month);
      } catch (error) {
        if (sqlState(error) !== NO_SUCH_TABLE) throw error;
        months.delete(month);
      }
    }
    const row = await read(id, ENDED_JOBS);
    if (row?.isArchived === true && month !== undefined) months.add(month);
    return row;
  };
}
