import { cx } from '../../ui/class-names.ts';

/** How many steps are done; nothing before there is a plan. */
export function StepBar({
  current,
  total,
  isFailed,
}: {
  current: number;
  total: number;
  isFailed: boolean;
}) {
  if (total === 0) return <span className="text-faint">-</span>;
  return (
    <span className="block whitespace-nowrap text-soft tabular">
      {current} of {total}
      <span className="mt-1.5 block h-1 w-24 overflow-hidden rounded-full bg-hover">
        <span
          className={cx('block h-full', isFailed ? 'bg-bad' : 'bg-good')}
          style={{ width: `${(100 * current) / total}%` }}
        />
      </span>
    </span>
  );
}
