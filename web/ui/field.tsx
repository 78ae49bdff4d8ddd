import type {
  ComponentProps,
  InputHTMLAttributes,
  ReactNode,
  SelectHTMLAttributes,
  TextareaHTMLAttributes,
} from 'react';
import { ChevronDown } from './icons.tsx';
import { useId } from 'react';
import { cx } from './class-names.ts';

const BOX =
  'h-8 min-w-0 rounded-md border border-line-strong bg-surface px-2.5 text-sm text-text ' +
  'placeholder:text-faint disabled:opacity-60 aria-invalid:border-bad';

export const INPUT = `${BOX} w-full`;

/** Drawn by ourselves: the browser's own is grey on dark pages. */
export const CHECKBOX =
  'checkbox size-4 shrink-0 appearance-none rounded border border-line-strong bg-surface ' +
  'checked:border-accent checked:bg-accent';

/** A label, what it is for, and what is wrong with it. */
export function Field({
  label,
  hint,
  problem,
  children,
}: {
  label: string;
  hint?: ReactNode;
  problem?: string | undefined;
  children: (props: {
    id: string;
    'aria-describedby'?: string;
    'aria-invalid'?: true;
  }) => ReactNode;
}) {
  const id = useId();
  const about = hint !== undefined || problem !== undefined ? `${id}-about` : undefined;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        ...(about ? { 'aria-describedby': about } : {}),
        ...(problem ? { 'aria-invalid': true as const } : {}),
      })}
      {about ? (
        <p id={about} className={cx('text-xs', problem ? 'text-bad' : 'text-soft')}>
          {problem ?? hint}
        </p>
      ) : null}
    </div>
  );
}

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...rest} className={cx(INPUT, className)} />;
}

export function TextArea({ className, ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return <textarea {...rest} className={cx(INPUT, 'h-auto py-2 leading-5', className)} />;
}

/** The browser's own: keyboard, screen readers and phones know it. */
export function Select({ className, children, ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <span className={cx('relative inline-flex max-w-full min-w-0', className)}>
      <select {...rest} className={cx(BOX, 'w-full appearance-none truncate pr-8')}>
        {children}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-2 right-2.5 size-4 text-soft"
      />
    </span>
  );
}

export function Checkbox({
  label,
  ...rest
}: InputHTMLAttributes<HTMLInputElement> & { label: ReactNode }) {
  return (
    <label className="flex items-start gap-2 text-sm">
      <input type="checkbox" {...rest} className={cx(CHECKBOX, 'mt-0.5')} />
      <span>{label}</span>
    </label>
  );
}
