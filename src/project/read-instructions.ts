// Reads the repository's instructions. A file counts if it is one of the project as its version control
// would list it: not ignored, not a link nor behind one, and not where secrets are kept.
import { INSTRUCTION_NAMES, instructionPath } from '../domain/prompt/instructions.ts';
import type { InstructionName } from '../domain/prompt/instructions.ts';
import { isSecret } from '../domain/artifact/secret-path.ts';
import type { FileReader } from './project-file.ts';

/** Which of these are files of the project, as its version control would list them. */
export interface ListedFiles {
  listed(paths: readonly string[]): Promise<{ path: string; isListed: boolean }[]>;
}

export interface FolderInstructions {
  folder: string;
  /** Null where the folder has none. */
  file: { name: InstructionName; text: string } | null;
}

export async function readInstructions(
  folders: readonly string[],
  { collector, reader }: { collector: ListedFiles; reader: FileReader },
): Promise<FolderInstructions[]> {
  if (folders.length === 0) return [];
  const paths = folders.flatMap((folder) =>
    INSTRUCTION_NAMES.map((name) => instructionPath(folder, name)),
  );
  const listed = await collector.listed(paths);
  const found = new Set(
    listed.flatMap(({ path, isListed }) => (isListed && !isSecret(path) ? [path] : [])),
  );
  return folders.map((folder) => {
    const name = INSTRUCTION_NAMES.find((each) => found.has(instructionPath(folder, each)));
    if (name === undefined) return { folder, file: null };
    // As an owned file: of a long one at least the beginning is shown.
    const read = reader.read(instructionPath(folder, name), { isOwned: true });
    const isText = read.kind === 'text' && read.text.trim() !== '';
    return { folder, file: isText ? { name, text: read.text } : null };
  });
}
