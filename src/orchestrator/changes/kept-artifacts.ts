// Answers of a run that were kept and not written (`run --apply never`).
import { z } from 'zod';
import { Artifact } from '../../contract/artifact.ts';
import type { Manifest } from '../../manifest/model.ts';
import { NO_MODEL, toTask } from '../run/task.ts';
import type { RunTask } from '../run/task.ts';
import { artifactFileOf, readRecord } from '../state/run-folder.ts';
import type { RunProjection } from '../../domain/run/projection.ts';

const Kept = Artifact.extend({ isExact: z.boolean().optional() });

export interface KeptArtifact {
  task: RunTask;
  artifact: z.infer<typeof Kept>;
  attempt: number;
}

/** In the order of the waves. */
export async function keptArtifacts(
  stateDir: string,
  projection: RunProjection,
  manifest: Manifest,
): Promise<KeptArtifact[]> {
  const rows = [...projection.streams.values()].sort((a, b) => a.wave - b.wave);
  const kept: KeptArtifact[] = [];
  for (const { id, fixOf, attempt } of rows) {
    const artifact = await readRecord(artifactFileOf(stateDir, projection.runId, id), Kept);
    const stream = manifest.streams.get(fixOf ?? id);
    if (artifact === undefined || stream === undefined) continue;
    kept.push({ task: toTask(manifest, stream, NO_MODEL), artifact, attempt });
  }
  return kept;
}
