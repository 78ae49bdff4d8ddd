// Which files of the workspace are never shown to an assistant. An assistant names files, and a text
// that it read may have made it do so: so what looks like a secret stays here unless the user allows it.
import { realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { patternsOverlap } from '../manifest/patterns/overlap.ts';
import { filePattern, readPattern } from '../manifest/patterns/pattern.ts';
import type { Pattern } from '../manifest/patterns/pattern.ts';
import { SKIPPED_FOLDERS, isSecret } from '../orchestrator/index.ts';
import type { Workspace } from './deps.ts';
import { ToolError } from './tool-error.ts';
import { relativeEntry } from './workspace-path.ts';

/** Where files are read from, and what may be. */
export type FileAccess = Pick<Workspace, 'root' | 'allowed'>;

export type Refusal = { code: string; why: string };

function outside(entry: string, why: string): ToolError {
  return new ToolError({
    code: 'PATH_OUTSIDE_WORKSPACE',
    message: `${JSON.stringify(entry)} ${why}`,
    hint: 'Use paths in the workspace, separated by /.',
  });
}

export function patternsIn({ root }: FileAccess, entry: string): Pattern[] {
  const read = readPattern(relativeEntry(root, entry));
  if (read.kind === 'problem') throw outside(entry, read.problem);
  return read.patterns;
}

export function allowedIn(workspace: FileAccess): Pattern[] {
  return workspace.allowed.flatMap((entry) => patternsIn(workspace, entry));
}

function whyNameDenied(path: string, allowed: readonly Pattern[]): Refusal | undefined {
  const isAllowed = () => allowed.some((each) => patternsOverlap(each, filePattern(path)));
  const folder = path.split('/').find((part) => SKIPPED_FOLDERS.has(part.toLowerCase()));
  if (folder === '.git') return { code: 'FILE_NOT_ALLOWED', why: 'is in .git' };
  if (folder !== undefined && !isAllowed()) {
    return { code: 'FILE_NOT_ALLOWED', why: `is in ${folder}` };
  }
  if (isSecret(path) && !isAllowed()) return { code: 'FILE_NOT_ALLOWED', why: 'may hold secrets' };
  return undefined;
}

export function realNameOf(root: string, path: string): string | undefined {
  try {
    return relative(root, realpathSync.native(join(root, path)))
      .split(sep)
      .join('/');
  } catch {
    return undefined;
  }
}

/** By itself or by the file that a link leads to. */
export function whyDenied(
  root: string,
  path: string,
  allowed: readonly Pattern[],
): Refusal | undefined {
  const real = realNameOf(root, path);
  return (
    whyNameDenied(path, allowed) ??
    (real === undefined || real === path ? undefined : whyNameDenied(real, allowed))
  );
}
