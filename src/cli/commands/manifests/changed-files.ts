// Complete streams whose files are no longer what was applied.
import { changedSince } from '../../../orchestrator/index.ts';
import type { ChangedSince, ProjectPlace } from '../../../orchestrator/index.ts';
import { fixTargetOf, stateOf } from '../../../manifest/model.ts';
import type { Manifest } from '../../../manifest/model.ts';
import type { Problem } from '../../../manifest/problem.ts';

const MOST_FILES = 3;

function listed({ id, files }: ChangedSince): string {
  const rest = files.length - MOST_FILES;
  const names = files.slice(0, MOST_FILES).join(', ');
  return `${id} (${names}${rest > 0 ? ` and ${rest} more` : ''})`;
}

/** At most one warning: after `git checkout .` it is about every stream. */
export async function changedFiles(
  place: ProjectPlace,
  nameInProject: string,
  manifest: Manifest,
): Promise<Problem[]> {
  const complete = [...manifest.streams.values()].filter(
    (stream) =>
      stateOf(stream).status === 'complete' && fixTargetOf(manifest, stream) === undefined,
  );
  const changed = await changedSince(place, nameInProject, new Set(complete.map(({ id }) => id)));
  if (changed.length === 0) return [];
  const isOne = changed.length === 1;
  return [
    {
      severity: 'warning',
      code: 'FILES_CHANGED',
      message: `${isOne ? 'A complete stream has' : 'Complete streams have'} files that are no longer what was applied: ${changed.map(listed).join(', ')}.`,
      hint: `To run ${isOne ? 'it' : 'them'} again: --only ${changed.map(({ id }) => id).join(',')}`,
      path: 'streams',
      line: 1,
      column: 1,
    },
  ];
}
