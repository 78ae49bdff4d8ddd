import type { RunProjection } from '../../../src/domain/run/projection.ts';

/** What people know a stream by: its name, and a fix by the name of what it mends. */
export function streamLabel({ streams }: RunProjection, id: string): string {
  const row = streams.get(id);
  const root = row?.fixOf === undefined ? undefined : streams.get(row.fixOf);
  if (root === undefined) return row?.name ?? id;
  return `${root.name}, fix ${root.fixes.indexOf(id) + 1}`;
}
