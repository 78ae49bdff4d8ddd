// Copies of agents that outlive their run: where they are, and how to remove them.
import { shellWord } from '../../../domain/command/suggested-command.ts';
import { keptCopies } from '../../../orchestrator/index.ts';
import type { ProjectPlace } from '../../../orchestrator/index.ts';
import { note } from '../../terminal/output.ts';

export const removeLine = (folder: string): string => `Remove it with: rm -r ${shellWord(folder)}`;

export async function noteKeptCopies(project: ProjectPlace, runId: string): Promise<void> {
  for (const folder of await keptCopies(project, runId)) {
    note(`Kept copy: ${folder}\n  ${removeLine(folder)}`);
  }
}
