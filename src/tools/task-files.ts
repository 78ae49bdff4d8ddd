// The files that go with a task, and the repository's instructions with them.
import { INSTRUCTION_NAMES } from '../domain/prompt/instructions.ts';
import { createWalker } from '../orchestrator/index.ts';
import type { FileAccess } from './denied-files.ts';
import { collectFiles } from './workspace-files.ts';
import type { TaskFiles } from './workspace-files.ts';

/** At the root of the project, as its version control would list them: no link, nothing ignored. */
async function findInstructions(root: string): Promise<string | undefined> {
  const { listing } = await createWalker(root).walk();
  return INSTRUCTION_NAMES.find((name) => listing.files.includes(name));
}

/** With the instructions of the root, where they can be sent: nobody named them, so it is no error if not. */
export async function collectTaskFiles(
  place: FileAccess | undefined,
  entries: readonly string[],
): Promise<TaskFiles> {
  const found = await collectFiles(place, entries);
  // A task without files is about no project.
  if (place === undefined || entries.length === 0) return found;
  const path = await findInstructions(place.root);
  if (path === undefined || Object.hasOwn(found.contents, path)) return found;
  return collectFiles(place, [...entries, path]).catch(() => found);
}
