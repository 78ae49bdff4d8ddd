// What `learn` found, for people.
import type { DroppedDep, LearnResult } from '../../../manifest/learn/learn.ts';
import type { Paint } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';

const SHOWN_READS = 3;

function list(entries: readonly string[]): string {
  const shown = entries.slice(0, SHOWN_READS).map(plain).join(', ');
  return entries.length > SHOWN_READS ? `${shown} and ${entries.length - SHOWN_READS} more` : shown;
}

function ring(ids: readonly string[]): string {
  return [...ids, ids[0] ?? ''].map(plain).join(' -> ');
}

function showDropped({ stream, dep, reads, reason, cycle }: DroppedDep): string[] {
  const why = reason === 'explicit-cycle' ? 'the deps already form a cycle' : 'it would close';
  return [
    `  ${plain(stream)} does not wait for ${plain(dep)} (reads ${list(reads)})`,
    `      ${why}: ${ring(cycle)}`,
  ];
}

export function showLearned(result: LearnResult, paint: Paint): string[] {
  const lines: string[] = [];
  const section = (title: string, entries: readonly string[]) => {
    if (entries.length > 0) lines.push(paint('bold', title), ...entries);
  };
  section(
    'Added',
    result.added.map(
      ({ stream, dep, reads }) =>
        `  ${plain(stream)} waits for ${plain(dep)} (reads ${list(reads)})`,
    ),
  );
  section('Dropped: they would close a cycle', result.dropped.flatMap(showDropped));
  section(
    'Streams in a cycle: remove one dep of each',
    result.cycles.map((ids) => `  ${paint('red', ids.map(plain).join(', '))}`),
  );
  section(
    'Reads too broad to order by',
    result.broadReads.map(
      ({ stream, read, owners }) => `  ${plain(stream)} reads ${plain(read)} (${owners} owners)`,
    ),
  );
  return lines.length > 0 ? lines : ['No dependencies are missing.'];
}

export function showDiff(lines: readonly string[], paint: Paint): string[] {
  const shown = lines.map((line) => {
    // Only escape codes are taken out: indentation is what YAML is about.
    const safe = line.replace(/[^\P{Cc}\t]/gu, '\ufffd');
    if (line.startsWith('+')) return paint('green', safe);
    if (line.startsWith('-')) return paint('red', safe);
    return line.startsWith('@@') ? paint('cyan', safe) : safe;
  });
  return shown.length > 0 ? ['', ...shown] : [];
}
