// How schedules and triggers are written: each has columns of its own, and both are paused and counted alike.
import { lockTeam } from '../accounts/accounts.ts';
import type { Queryable } from '../postgres/db.ts';
import { STARTER_TABLES } from './pauses.ts';
import type { StarterKind } from './start-facts.ts';

export function createStarterRows<Fields extends { status: 'active' | 'paused' }>(
  kind: StarterKind,
  columns: Readonly<Record<keyof Fields & string, string>>,
  jsonFields: readonly (keyof Fields & string)[],
) {
  const table = STARTER_TABLES[kind];
  const fields = Object.keys(columns) as (keyof Fields & string)[];
  const placeOf = (nth: number) => `$${nth + 3}`;
  const names = fields.map((field) => columns[field]).join(', ');
  const places = fields.map((_, nth) => placeOf(nth)).join(', ');
  const sets = fields.map((field, nth) => `${columns[field]} = ${placeOf(nth)}`).join(', ');
  const status = placeOf(fields.indexOf('status'));
  const valuesOf = (row: Fields) =>
    fields.map((field) => (jsonFields.includes(field) ? JSON.stringify(row[field]) : row[field]));

  return {
    async insert(
      tx: Queryable,
      { id, teamId }: { id: string; teamId: string },
      row: Fields,
    ): Promise<void> {
      await tx.query(
        `insert into ${table} (id, team_id, ${names}, paused_at)
         values ($1, $2, ${places}, case when ${status} = 'paused' then now() end)`,
        [id, teamId, ...valuesOf(row)],
      );
    },

    /** The caller holds the row. `resumed`: what was before it does not count. */
    async update(tx: Queryable, id: string, row: Fields, resumed: boolean): Promise<void> {
      await tx.query(
        `update ${table} set ${sets}, active_since = case when $2 then now() else active_since end,
           paused_at = case when ${status} = 'paused' then coalesce(paused_at, now()) end
         where id = $1`,
        [id, resumed, ...valuesOf(row)],
      );
    },

    /** Holds back other creations in this team until the transaction ends, and counts. */
    async lockCount(tx: Queryable, teamId: string): Promise<number> {
      await lockTeam(tx, teamId);
      const { rows } = await tx.query<{ count: number }>(
        `select count(*)::int as count from ${table} where team_id = $1`,
        [teamId],
      );
      return rows[0]!.count;
    },
  };
}
