// What runs again, what is reused, and what that may cost: told before anybody copies a command.
import type { RunProjection, StreamRow } from '../../../../src/domain/run/projection.ts';
import { isFixed } from '../../../../src/domain/run/projection.ts';

export type RerunKind = 'all' | 'failed' | 'from';

export interface RerunPlan {
  again: StreamRow[];
  reused: StreamRow[];
  /** What those streams took in this run; null when a price is not known. */
  costUsd: number | null;
  command: string;
}

export function ownStreams({ streams }: RunProjection): StreamRow[] {
  return [...streams.values()].filter(({ fixOf }) => fixOf === undefined);
}

/** The stream and everything that waits for it, directly or not. */
function withDependents(rows: readonly StreamRow[], from: string): Set<string> {
  const found = new Set([from]);
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const row of rows) if (row.waitsFor.some((id) => found.has(id))) found.add(row.id);
  }
  return found;
}

/** For a shell; most names need nothing. */
export function quoted(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function costOf({ streams }: RunProjection, rows: readonly StreamRow[]): number | null {
  let sum = 0;
  for (const row of rows) {
    for (const each of [row, ...row.fixes.flatMap((id) => streams.get(id) ?? [])]) {
      if (each.costUsd === null) return null;
      sum += each.costUsd;
    }
  }
  return sum;
}

export function planRerun(
  projection: RunProjection,
  choice: { kind: RerunKind; from?: string | undefined; model?: string | undefined },
): RerunPlan {
  const rows = ownStreams(projection);
  const isDone = (row: StreamRow) =>
    row.status === 'complete' || row.status === 'skipped' || isFixed(projection, row);
  const file = quoted(projection.file || 'millrace.yaml');
  const model = choice.model ? ` --model ${quoted(choice.model)}` : '';
  const plan = (chosen: (row: StreamRow) => boolean, command: string): RerunPlan => {
    const again = rows.filter(chosen);
    const reused = rows.filter((row) => !chosen(row));
    return { again, reused, costUsd: costOf(projection, again), command: command + model };
  };
  switch (choice.kind) {
    // What is complete in the manifest is not run again by itself; what is not, is.
    case 'failed':
      return plan((row) => !isDone(row), `millrace run ${file}`);
    case 'from': {
      const ids = withDependents(rows, choice.from ?? '');
      return plan(
        ({ id }) => ids.has(id),
        `millrace run ${file} --from ${quoted(choice.from ?? '')}`,
      );
    }
    case 'all': {
      const first = rows.filter(({ waitsFor }) => waitsFor.length === 0).map(({ id }) => id);
      return plan(() => true, `millrace run ${file} --from ${quoted(first.join(','))}`);
    }
  }
}
