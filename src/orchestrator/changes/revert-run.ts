// Undoes what a run has written; its streams wait again.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectionOf } from '../../domain/run/projection.ts';
import type { RunProjection } from '../../domain/run/projection.ts';
import { parseManifest } from '../../manifest/text/parse.ts';
import type { FoundRun } from '../project/find-run.ts';
import { withProjectLock } from '../project/with-lock.ts';
import { createCheckpoint } from '../state/checkpoint.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { revertApplied } from './revert-applied.ts';

export interface Reverted {
  files: string[];
  /** Streams of the manifest that wait again. */
  streams: string[];
  manifestFile: string;
}

export interface RevertOptions {
  /** Also files that were changed since. */
  force: boolean;
  onProblem(message: string): void;
}

export async function revertRun(
  project: ProjectPlace,
  { runId, events }: FoundRun,
  { force, onProblem }: RevertOptions,
): Promise<Reverted> {
  const projection = projectionOf(events);
  const manifestFile = projection.file;
  return withProjectLock(project, { runId, work: 'revert' }, async () => {
    const files = await revertApplied(project, runId, { force });
    if (files === undefined) return { files: [], streams: [], manifestFile };
    const streams = await resetManifest(project.root, projection, onProblem);
    return { files, streams, manifestFile };
  });
}

/** Streams that the run completed wait again, so that the next run does them anew. */
async function resetManifest(
  root: string,
  projection: RunProjection,
  onProblem: (message: string) => void,
): Promise<string[]> {
  const file = join(root, projection.file);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  const parsed = parseManifest(text, { file: projection.file });
  if (parsed.kind === 'invalid') {
    onProblem(`${projection.file} is not valid now and was left as it is.`);
    return [];
  }
  // In notation A the next run sees from the record of the revert that the streams wait again.
  const isReadOnly = parsed.manifest.notation === 'A';
  const checkpoint = createCheckpoint({ file, text, isReadOnly, onProblem });
  const reset: string[] = [];
  for (const row of projection.streams.values()) {
    const stream = parsed.manifest.streams.get(row.id);
    if (stream === undefined) continue;
    if (row.fixOf !== undefined) checkpoint.removeStream(row.id);
    else if (row.status === 'complete' && (row.attempt > 0 || row.fixes.length > 0)) {
      checkpoint.set(row.id, { status: 'pending', appliedAt: null, error: null, attempts: 0 });
      // One that the user had set back already is not our doing.
      const isSetBack =
        'status' in stream && stream.status === 'pending' && stream.appliedAt === undefined;
      if (!isSetBack) reset.push(row.id);
    }
  }
  if (reset.length > 0) checkpoint.setRunStatus('pending');
  await checkpoint.flush();
  await checkpoint.close();
  return reset;
}
