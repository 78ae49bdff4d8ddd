// A plain table that scrolls sideways in its own box, so that the page never does. On a narrow screen each row
// becomes a block: its first cells as a heading, the others beside their names (`label`).
import type { ReactNode, TdHTMLAttributes, ThHTMLAttributes } from 'react';
import { cx } from './class-names.ts';

export function Table({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="relative overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table className="stacked w-full border-collapse text-left text-sm">{children}</table>
    </div>
  );
}

export function Th({ className, ...rest }: ThHTMLAttributes<HTMLTableCellElement>) {
  return (
    <th
      scope="col"
      {...rest}
      className={cx(
        'h-9 border-b border-line px-3 text-xs font-medium whitespace-nowrap text-faint first:pl-4 last:pr-4',
        className,
      )}
    />
  );
}

export function Td({
  className,
  label,
  ...rest
}: TdHTMLAttributes<HTMLTableCellElement> & { label?: string }) {
  return (
    <td
      {...rest}
      data-label={label}
      className={cx('border-b border-line px-3 py-2.5 align-top first:pl-4 last:pr-4', className)}
    />
  );
}

export const ROW = 'hover:bg-hover/60 transition-colors last:[&>td]:border-b-0';
