import { cx } from './class-names.ts';

/** How much of a limit is used; `reserved` is drawn lighter behind it. */
export function Meter({
  label,
  used,
  reserved = 0,
  limit,
}: {
  label: string;
  used: number;
  reserved?: number;
  limit: number;
}) {
  const share = (value: number) => `${Math.min(100, (100 * value) / Math.max(limit, 1e-9))}%`;
  const look = used >= limit ? 'bg-bad' : used >= 0.8 * limit ? 'bg-warn' : 'bg-accent';
  return (
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(used, limit)}
      className="relative h-1.5 overflow-hidden rounded-full bg-hover"
    >
      <div
        className={cx('absolute inset-y-0 left-0 opacity-35', look)}
        style={{ width: share(used + reserved) }}
      />
      <div className={cx('absolute inset-y-0 left-0', look)} style={{ width: share(used) }} />
    </div>
  );
}
