// From what is different in a copy to the operations of an artifact. What cannot be one is a problem of its path, which
// the agent may take back once.
import { readFileSync } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import type { Operation } from '../contract/artifact.ts';
import type { ApplyProblem } from '../domain/artifact/apply-problem.ts';
import { OF_AGENTS } from '../domain/artifact/check-operations.ts';
import { sha256 } from '../platform/sha256.ts';
import type { Change, Difference } from '../sandbox/copy/difference.ts';

const MAX_FILE_BYTES = OF_AGENTS.fileMebibytes * 1024 ** 2;
const MAX_TOTAL_BYTES = OF_AGENTS.totalMebibytes * 1024 ** 2;
const MAX_FILES = OF_AGENTS.operations;

/** More would say nothing new. */
const MAX_PROBLEMS = 100;

export interface ReadChanges {
  operations: Operation[];
  problems: ApplyProblem[];
  /** Things that were left out, or that a person should know. */
  notes: string[];
}

export interface CopyContent {
  /** What is in the copy now. */
  pathOf(path: string): string;
  /** What the copy had in the beginning. */
  before(path: string): Buffer | undefined;
  /** Not a part of the project, by its own rules. */
  isIgnored(path: string): boolean;
}

function problemOf(change: Change): ApplyProblem | undefined {
  const { path, kind, size, baseMoved } = change;
  const problem = (code: string, message: string): ApplyProblem => ({ path, code, message });
  if (baseMoved) {
    return problem('STALE', 'The file of the project has changed since this attempt began.');
  }
  if (change.change === 'deleted') {
    return kind === 'file' ? undefined : problem('NOT_A_FILE', 'Links are not deleted.');
  }
  if (kind === 'link') return problem('LINK', 'It is a symbolic link now; only plain files count.');
  if (kind === 'other') return problem('NOT_A_FILE', 'It is no plain file.');
  if (size > MAX_FILE_BYTES) return problem('TOO_LARGE', 'It is larger than 8 MiB.');
  return undefined;
}

const asLines = (text: string) => text.replaceAll('\r\n', '\n');

export function readChanges({ changes, repositories }: Difference, copy: CopyContent): ReadChanges {
  const read: ReadChanges = { operations: [], problems: [], notes: [] };
  for (const path of repositories) {
    read.notes.push(`${path} is a repository of its own; it was left out.`);
  }
  const counted = changes.filter(({ path, change }) => change !== 'added' || !copy.isIgnored(path));
  const ignored = changes.length - counted.length;
  if (ignored > 0) read.notes.push(`${ignored} ignored files were left out.`);
  if (counted.length > MAX_FILES) {
    const message = `${counted.length} files were changed; ${MAX_FILES} are the most that one attempt may change.`;
    read.problems.push({ path: counted[0]!.path, code: 'TOO_MANY_FILES', message });
    return read;
  }
  // One that is too large is named by itself, and not read.
  const isRead = ({ change, size }: Change) => change !== 'deleted' && size <= MAX_FILE_BYTES;
  const bytes = counted.filter(isRead).reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_TOTAL_BYTES) {
    const message = `All changed files together are larger than ${OF_AGENTS.totalMebibytes} MiB.`;
    read.problems.push({ path: counted[0]!.path, code: 'TOO_LARGE', message });
    return read;
  }
  for (const change of counted) {
    if (read.problems.length >= MAX_PROBLEMS) break;
    const problem = problemOf(change);
    if (problem === undefined) readOne(change, copy, read);
    else read.problems.push(problem);
  }
  return read;
}

function readOne(change: Change, copy: CopyContent, read: ReadChanges): void {
  const { path, isExecutable, bitChanged } = change;
  const before = change.change === 'added' ? undefined : copy.before(path);
  if (change.change !== 'added' && before === undefined) {
    const message = 'The file of the project has changed since this attempt began.';
    read.problems.push({ path, code: 'STALE', message });
    return;
  }
  const baseSha256 = before === undefined ? {} : { baseSha256: sha256(before) };
  if (change.change === 'deleted') {
    read.operations.push({ type: 'delete', path, ...baseSha256 });
    return;
  }
  const bytes = readFileSync(copy.pathOf(path));
  if (!isUtf8(bytes) || bytes.includes(0)) {
    const message = 'It is a binary file, which cannot be applied as a change.';
    read.problems.push({ path, code: 'BINARY', message });
    return;
  }
  const content = bytes.toString('utf8');
  if (change.change === 'added') {
    const executable = isExecutable ? { executable: true } : {};
    read.operations.push({ type: 'create', path, content, ...executable });
    return;
  }
  const old = before?.toString('utf8') ?? '';
  if (old !== content && asLines(old) === asLines(content)) {
    read.notes.push(`${path}: only its line endings were changed.`);
  }
  const executable = bitChanged ? { executable: isExecutable } : {};
  read.operations.push({ type: 'edit', path, content, ...baseSha256, ...executable });
}
