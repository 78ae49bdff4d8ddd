// The lines of a file that change, without those around them: they may hold keys of other servers.
import { compareLines } from '../../../domain/diff/compare-lines.ts';
import { splitLines } from '../../../domain/diff/hunks.ts';
import { colourDiff } from '../../terminal/diff-colours.ts';
import { hideSecrets } from '../../terminal/hide-secrets.ts';
import { complain, styledNote } from '../../terminal/output.ts';

function withoutEnding(line: string): string {
  return line.replace(/\r?\n$/, '');
}

export function changedLines(before: string, after: string): string[] {
  const old = splitLines(before);
  const now = splitLines(after);
  const { removed, added } = compareLines(old, now);
  const lines: string[] = [];
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    const from = j;
    const size = lines.length;
    for (; removed[i]; i++) lines.push(`-${withoutEnding(old[i]!)}`);
    for (; added[j]; j++) lines.push(`+${withoutEnding(now[j]!)}`);
    if (lines.length > size) lines.splice(size, 0, `@@ line ${from + 1} @@`);
    i += 1;
    j += 1;
  }
  return lines;
}

export function showChange(path: string, before: string | undefined, after: string): void {
  const head = before === undefined ? `+++ ${path} (new file)` : `+++ ${path}`;
  const lines = [head, ...changedLines(before ?? '', after)];
  complain(colourDiff(hideSecrets(lines.join('\n')), styledNote));
}
