// The repository's instructions for the streams of a run. They are read once and kept with the run: one
// that is resumed asks with the same text, whatever became of the files since.
import { z } from 'zod';
import {
  INSTRUCTION_NAMES,
  NO_INSTRUCTIONS,
  fitInstructions,
  foldersTo,
  instructionPath,
  instructionTokensOf,
} from '../../domain/prompt/instructions.ts';
import type { ShownInstructions } from '../../domain/prompt/instructions.ts';
import { readInstructions } from '../../project/read-instructions.ts';
import type { FolderInstructions } from '../../project/read-instructions.ts';
import { instructionsFileOf, readRecord, writeRecord } from '../state/run-folder.ts';
import type { RunTask } from './task.ts';

export interface Instructions {
  of(task: Pick<RunTask, 'owns' | 'model' | 'windowTokens'>): ShownInstructions;
}

export const WITHOUT_INSTRUCTIONS: Instructions = { of: () => NO_INSTRUCTIONS };

type Project = Parameters<typeof readInstructions>[1];

const Kept = z.object({
  v: z.literal(1),
  folders: z.array(
    z.object({
      folder: z.string(),
      file: z.object({ name: z.enum(INSTRUCTION_NAMES), text: z.string() }).nullable(),
    }),
  ),
});

function foldersOf(tasks: Iterable<RunTask>): string[] {
  return [...new Set([...tasks].flatMap(({ owns }) => foldersTo(owns)))];
}

function instructionsIn(known: readonly FolderInstructions[]): Instructions {
  const byFolder = new Map(known.map(({ folder, file }) => [folder, file]));
  const fitted = new Map<string, ShownInstructions>();
  return {
    of({ owns, model, windowTokens }) {
      // A folder that an edit of the manifest brought in while the run is on has none.
      const files = foldersTo(owns).flatMap((folder) => {
        const file = byFolder.get(folder);
        return file ? [{ path: instructionPath(folder, file.name), text: file.text }] : [];
      });
      const maxTokens = instructionTokensOf(model, windowTokens);
      const key = [maxTokens, ...files.map(({ path }) => path)].join('\n');
      let shown = fitted.get(key);
      if (shown === undefined) fitted.set(key, (shown = fitInstructions(files, maxTokens)));
      return shown;
    },
  };
}

/** As the project has them now. */
export async function currentInstructions(
  tasks: Iterable<RunTask>,
  project: Project,
): Promise<Instructions> {
  return instructionsIn(await readInstructions(foldersOf(tasks), project));
}

/** As they were when the run began; folders that it did not know then are added. */
export async function openInstructions(
  { stateDir, runId }: { stateDir: string; runId: string },
  tasks: Iterable<RunTask>,
  project: Project,
): Promise<Instructions> {
  const file = instructionsFileOf(stateDir, runId);
  const { folders: kept } = (await readRecord(file, Kept)) ?? { folders: [] };
  const isKnown = new Set(kept.map(({ folder }) => folder));
  const missing = foldersOf(tasks).filter((folder) => !isKnown.has(folder));
  if (missing.length === 0) return instructionsIn(kept);
  const folders = [...kept, ...(await readInstructions(missing, project))];
  // Before anybody is asked with it.
  await writeRecord(file, { v: 1, folders });
  return instructionsIn(folders);
}
