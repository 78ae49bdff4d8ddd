// What an operation does to a file, as lines that come and go. The file itself is not here: an edit shows
// the texts that it replaces.
import { useMemo } from 'react';
import type { Operation } from '../../../src/contract/artifact.ts';
import { cx } from '../../ui/class-names.ts';
import { useLineTexts } from '../run/changes/diff-view.tsx';
import type { DiffLine } from '../run/changes/parse-patch.ts';

type Line = DiffLine & { kind: 'add' | 'remove' };

const MOST_LINES = 400;

function linesOf(kind: Line['kind'], text: string): Line[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  // Where an edit is in the file is not known here.
  return lines.map((line) => ({ kind, text: line, oldNumber: undefined, newNumber: undefined }));
}

function diffLines(operation: Operation): Line[][] {
  if (operation.type === 'delete') return [];
  if ('edits' in operation) {
    return operation.edits.map(({ oldText, newText }) => [
      ...linesOf('remove', oldText),
      ...linesOf('add', newText),
    ]);
  }
  return [linesOf('add', operation.content)];
}

const LOOKS = { add: 'bg-add', remove: 'bg-remove' } as const;
const WORDS = {
  create: ['Create', 'text-good bg-good-soft'],
  edit: ['Edit', 'text-info bg-info-soft'],
  delete: ['Delete', 'text-bad bg-bad-soft'],
} as const;

function Hunk({ path, lines }: { path: string; lines: readonly Line[] }) {
  const textOf = useLineTexts(path, lines);
  return (
    <div className="min-w-max py-1">
      {lines.slice(0, MOST_LINES).map((line, index) => (
        <div key={index} className={cx('px-3', LOOKS[line.kind])}>
          {textOf(line)}
        </div>
      ))}
      {lines.length > MOST_LINES ? (
        <div className="px-3 text-faint">{lines.length - MOST_LINES} more lines</div>
      ) : null}
    </div>
  );
}

export function OperationDiff({ operation }: { operation: Operation }) {
  const hunks = useMemo(() => diffLines(operation), [operation]);
  const all = hunks.flat();
  const [word, look] = WORDS[operation.type];
  const count = (kind: Line['kind']) => all.filter((line) => line.kind === kind).length;
  return (
    <details open={all.length <= 60} className="group rounded-lg border border-line">
      <summary className="flex list-none items-center gap-2 px-3 py-2 text-xs">
        <span className={cx('rounded px-1.5 py-0.5 font-medium', look)}>{word}</span>
        <span className="min-w-0 flex-1 truncate font-mono">{operation.path}</span>
        {all.length > 0 ? (
          <span className="tabular">
            <span className="text-good">+{count('add')}</span>
            {count('remove') > 0 ? (
              <span className="ml-1.5 text-bad">-{count('remove')}</span>
            ) : null}
          </span>
        ) : null}
      </summary>
      {all.length > 0 ? (
        <pre
          tabIndex={0}
          aria-label={`${word} ${operation.path}`}
          className="max-h-96 divide-y divide-line overflow-auto border-t border-line bg-sunken text-xs leading-5"
        >
          {hunks.map((lines, index) => (
            <Hunk key={index} path={operation.path} lines={lines} />
          ))}
        </pre>
      ) : null}
    </details>
  );
}
