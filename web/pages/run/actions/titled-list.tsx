import type { ReactNode } from 'react';
import { cx } from '../../../ui/class-names.ts';

/** A short list in a frame of its own, with how many it has. */
export function TitledList({
  title,
  items,
  isCode = false,
}: {
  title: string;
  items: readonly ReactNode[];
  isCode?: boolean;
}) {
  return (
    <div className="min-w-40 flex-1">
      <h3 className="mb-1 text-xs font-medium text-soft">
        {title} <span className="tabular">({items.length})</span>
      </h3>
      <ul
        tabIndex={0}
        aria-label={title}
        className={cx(
          'max-h-40 overflow-y-auto rounded-lg border border-line bg-sunken px-3 py-2 text-xs',
          isCode && 'font-mono',
        )}
      >
        {items.length === 0 ? <li className="text-soft">None</li> : null}
        {items.map((item, index) => (
          <li key={index} className="truncate py-0.5">
            {item}
          </li>
        ))}
      </ul>
    </div>
  );
}
