// What changed in a file, as people and other tools read it.
import { countLines } from '../../domain/diff/count-lines.ts';
import type { LineCounts } from '../../domain/diff/count-lines.ts';
import { hunksOf } from '../../domain/diff/hunks.ts';
import { isText } from './result-of.ts';
import { isExecutable, modeAfter } from './file-change.ts';
import type { FileChange } from './file-change.ts';

const NOTHING = Buffer.alloc(0);

/** Lines; a file that is not text has none. */
export function countChanges(before: Buffer | null, after: Buffer | null): LineCounts {
  const [old, now] = [before ?? NOTHING, after ?? NOTHING];
  if (!isText(old) || !isText(now)) return { additions: 0, deletions: 0 };
  return countLines(old.toString('utf8'), now.toString('utf8'));
}

/** In the form that `git apply` takes, with a line break at its end. */
export function unifiedDiff(change: FileChange): string {
  const { path, before, after, mode } = change;
  const [oldName, newName] = [quoted(`a/${path}`), quoted(`b/${path}`)];
  const lines = [`diff --git ${oldName} ${newName}`];
  const gitMode = gitModeOf(mode);
  const nextMode = gitModeOf(modeAfter(change));
  if (before === null) lines.push(`new file mode ${gitMode}`);
  if (after === null) lines.push(`deleted file mode ${gitMode}`);
  if (before !== null && after !== null && gitMode !== nextMode) {
    lines.push(`old mode ${gitMode}`, `new mode ${nextMode}`);
  }
  const from = before === null ? '/dev/null' : oldName;
  const to = after === null ? '/dev/null' : newName;
  const [old, now] = [before ?? NOTHING, after ?? NOTHING];
  if (before?.equals(now) && after !== null) return `${lines.join('\n')}\n`;
  if (!isText(old) || !isText(now)) lines.push(`Binary files ${from} and ${to} differ`);
  else {
    const hunks = hunksOf(old.toString('utf8'), now.toString('utf8'));
    if (hunks.length > 0) lines.push(`--- ${ended(from)}`, `+++ ${ended(to)}`);
    // One by one: a spread of very many arguments does not fit on the stack.
    for (const line of hunks) lines.push(line);
  }
  return `${lines.join('\n')}\n`;
}

const gitModeOf = (mode: number) => (isExecutable(mode) ? '100755' : '100644');

function quoted(name: string): string {
  return /["\\]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
}

/** A name with spaces needs something that says where it ends. */
function ended(name: string): string {
  return name.includes(' ') ? `${name}\t` : name;
}
