import { FileMinus, FilePen, FilePlus } from '../../../ui/icons.tsx';
import type { ChangedFile } from '../../../../src/contract/run-report-api.ts';
import { cx } from '../../../ui/class-names.ts';

const KINDS = {
  create: { word: 'Created', Icon: FilePlus, look: 'text-good bg-good-soft' },
  edit: { word: 'Edited', Icon: FilePen, look: 'text-info bg-info-soft' },
  delete: { word: 'Deleted', Icon: FileMinus, look: 'text-bad bg-bad-soft' },
} as const;

export function KindIcon({ kind }: Pick<ChangedFile, 'kind'>) {
  const { Icon, look, word } = KINDS[kind];
  const colour = look.split(' ')[0];
  return <Icon aria-label={word} className={cx('size-3.5 shrink-0', colour)} />;
}

export function KindBadge({ kind }: Pick<ChangedFile, 'kind'>) {
  const { word, look } = KINDS[kind];
  return <span className={cx('rounded-full px-2 py-0.5 text-2xs font-medium', look)}>{word}</span>;
}

export function LineCounts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="text-xs whitespace-nowrap tabular">
      <span className="text-good">+{added}</span> <span className="text-bad">-{removed}</span>
    </span>
  );
}
