// The text of a file as a commit has it.
import { GitError, git } from './git.ts';

/** Undefined where the commit or the file is not there. */
export async function fileAt(
  folder: string,
  commit: string,
  path: string,
): Promise<string | undefined> {
  try {
    return await git(folder, ['cat-file', 'blob', `${commit}:${path}`]);
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
