import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { cx } from './class-names.ts';

type Look = 'primary' | 'plain' | 'ghost' | 'danger';

const LOOKS: Readonly<Record<Look, string>> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent shadow-card',
  plain: 'bg-surface text-text border-line-strong hover:bg-hover shadow-card',
  ghost: 'bg-transparent text-soft border-transparent hover:bg-hover hover:text-text',
  danger: 'bg-surface text-bad border-line-strong hover:bg-bad-soft hover:border-bad shadow-card',
};

const BASE =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border text-sm font-medium ' +
  'whitespace-nowrap transition-colors disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  size?: 'small' | 'normal';
  /** Under way: says so and cannot be pressed again. */
  busy?: boolean;
  icon?: ReactNode;
}

export function buttonClass(look: Look = 'plain', size: 'small' | 'normal' = 'normal'): string {
  return cx(BASE, LOOKS[look], size === 'small' ? 'h-7 px-2.5' : 'h-8 px-3');
}

export function Button({ look, size, busy, icon, children, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={busy || rest.disabled}
      aria-busy={busy || undefined}
      className={cx(buttonClass(look, size), className)}
    >
      {icon}
      {children}
    </button>
  );
}

/** A button that is only an icon: its name is read out and shown as a title. */
export function IconButton({
  name,
  children,
  className,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { name: string }) {
  return (
    <button
      type="button"
      aria-label={name}
      title={name}
      {...rest}
      className={cx(
        'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-soft transition-colors hover:bg-hover hover:text-text disabled:opacity-50 [&_svg]:size-4',
        className,
      )}
    >
      {children}
    </button>
  );
}
