// Programs that a repository's own configuration names. A clone does not bring them along, but an archive does, and git
// would run them as the person. Those of the person's own configuration are the person's.
import { askGit } from './git.ts';

/** By what is done. */
const NAMED = {
  commit: [
    String.raw`filter\..*\.(clean|smudge|process)`,
    String.raw`gpg\.(.*\.)?(program|defaultkeycommand)`,
  ],
  /** Commits of two branches are brought together. */
  merge: [String.raw`merge\..*\.driver`],
  push: [
    String.raw`core\.(sshcommand|askpass|gitproxy)`,
    String.raw`credential\.(.*\.)?helper`,
    String.raw`remote\..*\.(uploadpack|receivepack|vcs)`,
  ],
} as const;
export type GitWork = keyof typeof NAMED;

/** Git finds these on its own terms; a command of a manifest can be one of them, too, and means the same. */
export async function programsOfRepository(
  folder: string,
  work: readonly GitWork[] = ['commit'],
): Promise<string[]> {
  const pattern = `^(${work.flatMap((one) => NAMED[one]).join('|')})$`;
  const asked = ['config', '--includes', '--show-scope', '-z', '--get-regexp', pattern];
  // Nothing found is a failure to git.
  const fields = ((await askGit(folder, asked)) ?? '').split('\0');
  const programs = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const isOwn = fields[at] === 'local' || fields[at] === 'worktree';
    const program = fields[at + 1]!.split('\n').slice(1).join('\n');
    if (isOwn && program !== '') programs.add(program);
  }
  return [...programs];
}
