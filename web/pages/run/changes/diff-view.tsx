import { memo, useMemo } from 'react';
import { cx } from '../../../ui/class-names.ts';
import { parsePatch, sideBySide } from './parse-patch.ts';
import type { DiffLine } from './parse-patch.ts';

export type DiffLayout = 'unified' | 'split';

const LOOKS: Readonly<Record<DiffLine['kind'], string>> = {
  same: '',
  add: 'bg-add',
  remove: 'bg-remove',
  hunk: 'bg-accent-soft text-soft',
  note: 'text-faint italic',
};
const SIGNS: Readonly<Record<DiffLine['kind'], string>> = {
  same: ' ',
  add: '+',
  remove: '-',
  hunk: '',
  note: '',
};
const NUMBER = 'w-10 min-w-10 px-2 text-right text-soft select-none tabular align-top';
const TEXT = 'px-2 whitespace-pre-wrap [overflow-wrap:anywhere]';

function Unified({ lines }: { lines: readonly DiffLine[] }) {
  return lines.map((line, index) => (
    <tr key={index} className={LOOKS[line.kind]}>
      <td className={NUMBER}>{line.oldNumber}</td>
      <td className={NUMBER}>{line.newNumber}</td>
      <td className={TEXT}>
        <span className="select-none">{SIGNS[line.kind]}</span>
        {line.text}
      </td>
    </tr>
  ));
}

function Half({ line, number }: { line: DiffLine | undefined; number: number | undefined }) {
  return (
    <>
      <td className={cx(NUMBER, line ? LOOKS[line.kind] : 'bg-sunken')}>{number}</td>
      <td className={cx(TEXT, 'w-1/2', line ? LOOKS[line.kind] : 'bg-sunken')}>
        {line ? (
          <>
            <span className="select-none">{SIGNS[line.kind]}</span>
            {line.text}
          </>
        ) : null}
      </td>
    </>
  );
}

function Split({ lines }: { lines: readonly DiffLine[] }) {
  return sideBySide(lines).map((pair, index) =>
    'whole' in pair ? (
      <tr key={index} className={LOOKS[pair.whole.kind]}>
        <td className={NUMBER} />
        <td className={TEXT} colSpan={3}>
          {pair.whole.text}
        </td>
      </tr>
    ) : (
      <tr key={index}>
        <Half line={pair.left} number={pair.left?.oldNumber} />
        <Half line={pair.right} number={pair.right?.newNumber} />
      </tr>
    ),
  );
}

/** `patch` is null when it was too large to be reported. */
export const DiffView = memo(function DiffView({
  path,
  patch,
  layout,
}: {
  path: string;
  patch: string | null;
  layout: DiffLayout;
}) {
  const lines = useMemo(() => (patch === null ? [] : parsePatch(patch)), [patch]);
  if (patch === null) {
    return <p className="px-4 py-3 text-sm text-soft">This diff is too large to show.</p>;
  }
  if (lines.length === 0) {
    return <p className="px-4 py-3 text-sm text-soft">No text to compare: empty or binary.</p>;
  }
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={`Diff of ${path}`}>
      <table className="w-full border-collapse font-mono text-xs leading-5 [font-feature-settings:'calt'_0]">
        <tbody>{layout === 'split' ? <Split lines={lines} /> : <Unified lines={lines} />}</tbody>
      </table>
    </div>
  );
});
