import { createCoalescer } from './coalesce.ts';

/** Rows that are looked for while a read is under way are the next read. */
export function createReadsById<Row extends { id: string }>(options: {
  read(ids: string[]): Promise<{ rows: Row[] }>;
  maxBatch: number;
  maxConcurrent?: number;
}): (id: string) => Promise<Row | undefined> {
  const { read, ...limits } = options;
  const reads = createCoalescer({
    async run(ids: string[]) {
      const { rows } = await read(ids);
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => found.get(id));
    },
    ...limits,
  });
  return (id) => reads.add(id);
}
