import { cx } from './class-names.ts';

/** A choice of a few views, one of which is on. */
export function Segmented<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}) {
  return (
    <div
      role="group"
      aria-label={label}
      className="inline-flex h-8 shrink-0 items-center self-start rounded-md border border-line-strong bg-sunken p-0.5"
    >
      {options.map(([id, text]) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === value}
          onClick={() => onChange(id)}
          className={cx(
            'h-full rounded px-2.5 text-xs font-medium whitespace-nowrap transition-colors',
            id === value ? 'bg-surface text-text shadow-card' : 'text-soft hover:text-text',
          )}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
