// What a run has changed, and what it would change if what it kept were applied.
import { stageAll } from '../apply/stage-all.ts';
import type { StagedAll } from '../apply/stage-all.ts';
import type { RunTarget } from '../project/find-run.ts';
import { stateWithin } from '../state/state-dir.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { appliedChanges } from './applied-changes.ts';
import { toChangedFile } from './changed-file.ts';
import type { ChangedFile } from './changed-file.ts';
import { findKept } from './apply-kept.ts';

export interface RunDiff {
  /** Written by the run, and still counted as its own. */
  applied: ChangedFile[];
  /** Kept, and not written yet: against the files as they are now. */
  pending: ChangedFile[];
  /** Kept, but not to be applied as the files are now. */
  rejected: { stream: string; reason: string }[];
}

export function reasonsOf(rejected: StagedAll['rejected']): RunDiff['rejected'] {
  return rejected.map(({ stream, problems }) => {
    const reason = problems.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
    return { stream, reason: reason.join('; ') };
  });
}

export async function diffRun(project: ProjectPlace, target: RunTarget): Promise<RunDiff> {
  const { run, stream } = target;
  const { net } = await appliedChanges(project.stateDir, run.runId, stream?.ids);
  const { changes, rejected } = await keptChanges(project, target);
  return {
    applied: net.map(toChangedFile),
    pending: changes.map(toChangedFile),
    rejected: reasonsOf(rejected),
  };
}

async function keptChanges(project: ProjectPlace, { run, stream }: RunTarget): Promise<StagedAll> {
  const none = { changes: [], rejected: [] };
  const hasKept = run.events.some((event) => event.type === 'stream.completed' && event.kept);
  if (!hasKept) return none;
  const { kept, manifestFile } = await findKept(project, run);
  const wanted = kept.filter(({ task }) => stream?.ids.has(task.id) ?? true);
  const artifacts = wanted.map(({ task, artifact }) => ({
    stream: task.id,
    operations: artifact.operations,
    owns: task.owns,
    isExact: artifact.isExact ?? false,
  }));
  const protectedPaths = [manifestFile, ...stateWithin(project)];
  return stageAll(artifacts, { root: project.root, protectedPaths });
}
