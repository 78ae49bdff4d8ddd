// Signals as rows, for servers that cannot listen.
import { newId } from '../../platform/ids.ts';
import type { Queryable } from './db.ts';
import type { SignalMessage, SignalName } from './signal-names.ts';

const INSERT = {
  name: 'insert_signals',
  // One text with all ids, because an array of arrays has to have rows of the same length.
  text: `insert into signals (id, origin, name, ids)
         select id, $1, name, case ids when '' then '{}' else string_to_array(ids, ',') end
         from unnest($2::text[], $3::text[], $4::text[]) v(id, name, ids)`,
};

export async function insertSignals(
  db: Queryable,
  originId: string,
  messages: readonly SignalMessage[],
): Promise<void> {
  await db.query(INSERT, [
    originId,
    messages.map(() => newId('sig')),
    messages.map(({ name }) => name),
    messages.map(({ ids }) => ids.join(',')),
  ]);
}

export interface SignalRow {
  id: string;
  origin: string;
  name: SignalName;
  ids: string[];
}

const LIST = {
  name: 'list_signals',
  text: `select id, origin, name, ids from signals
         where at > now() - $1 * interval '1 millisecond' and id <> all($2::text[]) order by at, id`,
};

/** Those of the last `withinMs`, but for those with these ids. */
export async function listSignals(
  db: Queryable,
  { withinMs, except }: { withinMs: number; except: readonly string[] },
): Promise<SignalRow[]> {
  const { rows } = await db.query<SignalRow>(LIST, [withinMs, except]);
  return rows;
}

export async function deleteOldSignals(db: Queryable, olderThanMs: number): Promise<void> {
  await db.query(`delete from signals where at < now() - $1 * interval '1 millisecond'`, [
    olderThanMs,
  ]);
}
