import type { Queryable } from './db.ts';

export interface TableSize {
  table: string;
  /** As the database estimates them. */
  rows: number;
  deadRows: number;
  bytes: number;
  vacuumedAt: Date | null;
  analyzedAt: Date | null;
}

/** The largest first. */
export async function listTableSizes(db: Queryable): Promise<TableSize[]> {
  const { rows } = await db.query<TableSize>(
    `select schemaname || '.' || relname as table, n_live_tup as rows, n_dead_tup as "deadRows",
       pg_total_relation_size(relid) as bytes, last_autovacuum as "vacuumedAt",
       last_autoanalyze as "analyzedAt"
     from pg_stat_user_tables where schemaname = current_schema()
     order by pg_total_relation_size(relid) desc, 1`,
  );
  return rows;
}
