// What a review of an execution asks for, as a manifest of fix streams that is run here: the server planned and ran the
// execution, and knows nothing of the files as the review has left them.
import { join, relative } from 'node:path';
import type { Execution } from '../../client/index.ts';
import type { Artifact } from '../../contract/artifact.ts';
import type { Comments, ReviewComment } from '../../domain/review/comment.ts';
import type { HeldChanges } from '../../domain/review/held-changes.ts';
import { fixId } from '../../domain/run/fix-stream.ts';
import { reviewLines } from '../../domain/prompt/review-lines.ts';
import { makeFolder } from '../../platform/make-folder.ts';
import { writeWholeFile } from '../../platform/whole-file.ts';
import { runFolderOf } from '../state/run-folder.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import type { RoundRecord } from './round-record.ts';

/** By path: the last step that changed it. */
export function stepsOf(artifacts: readonly Artifact[]): Map<string, string> {
  return new Map(
    artifacts.flatMap(({ streamId, operations }) =>
      operations.map(({ path }) => [path, streamId] as const),
    ),
  );
}

/** One for each step that comments are about. */
export function fixesOf(
  open: readonly (readonly [string, ReviewComment])[],
  { steps, round }: { steps: ReadonlyMap<string, string>; round: number },
): RoundRecord['fixes'] {
  const asked = Map.groupBy(open, ([, { path }]) => steps.get(path)!);
  return [...asked].map(([stream, all]) => ({
    stream,
    fix: fixId(stream, round),
    comments: all.map(([id]) => id),
  }));
}

interface Asked extends Pick<RoundRecord, 'round' | 'fixes'> {
  comments: Comments;
  held?: HeldChanges;
}

/** Written whole, under its name in the project or from there. */
export async function writeFixes(
  { root, stateDir }: ProjectPlace,
  { id, task, model }: Execution,
  { round, fixes, comments, held }: Asked,
): Promise<string> {
  const streams = fixes.map(({ stream, fix, comments: ids }) => {
    const asked = ids.map((one) => comments.get(one)!);
    const plan = [task, ...reviewLines({ comments: asked, ...(held && { held }) })].join('\n\n');
    const owns = [...new Set(asked.map(({ path }) => path))];
    return [fix, { name: `What the review asks of ${stream}`, owns, plan, status: 'pending' }];
  });
  const manifest = {
    feature: `Review of ${id}, round ${round}`,
    model,
    streams: Object.fromEntries(streams) as object,
  };
  const folder = runFolderOf(stateDir, id);
  makeFolder(folder);
  const file = join(folder, `round-${round}.yaml`);
  await writeWholeFile(file, `${JSON.stringify(manifest, null, 2)}\n`, {
    mode: 0o600,
    draft: `${file}.tmp`,
  });
  return relative(root, file);
}
