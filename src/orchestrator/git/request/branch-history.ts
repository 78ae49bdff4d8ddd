// What all runs on a branch did together.
import { addEstimates, createReplay } from '../../../domain/run/replay.ts';
import { totalsOf } from '../../../domain/run/totals.ts';
import { readBranch } from '../../state/branch-record.ts';
import { readJournal } from '../../state/journal.ts';
import { journalOf, listRunIds } from '../../state/run-folder.ts';

export interface BranchHistory {
  /** Of a fix: the stream that it fixes. */
  rootOf(stream: string): string;
  models: string[];
  costUsd: number | null;
  estimatedUsd: number | null | undefined;
}

export async function historyOf(stateDir: string, origin: string): Promise<BranchHistory> {
  const roots = new Map<string, string>();
  const models = new Set<string>();
  let costUsd: number | null = 0;
  let estimatedUsd: number | null | undefined;
  for (const runId of await listRunIds(stateDir)) {
    if ((await readBranch(stateDir, runId))?.origin !== origin) continue;
    const { events } = await readJournal(journalOf(stateDir, runId));
    const [first] = events;
    if (first?.type !== 'run.started') continue;
    const { record } = createReplay(events);
    for (const [fix, root] of record.fixes) roots.set(fix, root);
    for (const model of first.models ?? []) models.add(model);
    const { costUsd: cost, estimatedUsd: estimate } = totalsOf(record, 0);
    estimatedUsd = addEstimates(estimatedUsd, estimate);
    costUsd = costUsd === null || cost === null ? null : costUsd + cost;
  }
  return {
    rootOf: (stream: string) => roots.get(stream) ?? stream,
    models: [...models],
    costUsd,
    estimatedUsd,
  };
}
