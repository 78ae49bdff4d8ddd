// What a run needs of git, found out and said before anything is spent.
import {
  checkGit,
  chooseBranch,
  dirtyPaths,
  programsOfRepository,
} from '../../../orchestrator/index.ts';
import type {
  RunBranch,
  GitWork,
  ProjectPlace,
  RunsOfManifest,
} from '../../../orchestrator/index.ts';
import { manifestName } from '../../../manifest/model.ts';
import type { Manifest } from '../../../manifest/model.ts';
import type { CommandOptions } from '../../command.ts';
import { ConfigError } from '../../../config/config-error.ts';
import { countOf } from '../../terminal/figures.ts';
import { note } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { gitFlagOf } from './git-flag.ts';
import type { GitFlag } from './git-flag.ts';

/** The branch that a run with these flags works on; undefined where it works in the person's own files. */
export async function branchOf(
  project: ProjectPlace,
  {
    flag,
    file,
    manifest,
    base,
  }: { flag: GitFlag | undefined; file: string; manifest: Manifest; base?: string | undefined },
): Promise<RunBranch | undefined> {
  if (flag?.kind !== 'branch') {
    if (base === undefined) return undefined;
    throw new ConfigError(['--base is where a new branch begins: use it with --git branch']);
  }
  return chooseBranch(project, { name: flag.name, file, manifest: manifestName(manifest), base });
}

export const baseOf = ({ base }: CommandOptions): string | undefined =>
  typeof base === 'string' ? base : undefined;

/** Which runs of the manifest count: none, for a branch that is still to be made. */
export const originOf = (branch: RunBranch | undefined): string | undefined =>
  branch && (branch.origin ?? '');

/** Which runs say how far its streams are. */
export async function runsOf(
  project: ProjectPlace,
  manifest: Manifest,
  { file, options }: { file: string; options: CommandOptions },
): Promise<RunsOfManifest> {
  const branch = await branchOf(project, { flag: gitFlagOf(options), file, manifest });
  return { file, origin: originOf(branch) };
}

/** What the repository would have git run; to be approved as commands are. */
export const programsFor = (root: string, flag: GitFlag | undefined): Promise<string[]> =>
  flag === undefined ? Promise.resolve([]) : programsOfRepository(root, ['commit']);

/** Says what the branch begins at. Throws where commits cannot be made. After the programs have been approved: it looks at files. */
export async function gitWorkOf(
  root: string,
  {
    flag,
    branch,
    manifest,
    file,
    signsOff,
    copies,
  }: {
    flag: GitFlag | undefined;
    branch: RunBranch | undefined;
    manifest: Manifest;
    file: string;
    signsOff: boolean;
    copies: readonly string[];
  },
): Promise<GitWork | undefined> {
  if (flag === undefined) return undefined;
  if (branch === undefined) {
    await checkGit(root, manifest, file);
    return { kind: 'commit', signsOff };
  }
  const { name, base, origin } = branch;
  const { length: uncommitted } = await dirtyPaths(root);
  const from =
    origin === undefined ? `from ${base.slice(0, 10)} (HEAD)` : 'as an earlier run left it';
  const left =
    uncommitted > 0 ? `; ${countOf(uncommitted, 'file')} with uncommitted changes left out` : '';
  note(`Branch ${plain(name)} ${from}${left}.`);
  return { kind: 'branch', branch: { name, base, origin }, signsOff, copies };
}
