import type { AnchorHTMLAttributes } from 'react';
import { Button, buttonClass } from '../../ui/button.tsx';
import type { ButtonProps } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';

const WIDE = 'h-9.5! w-full';

export function EntryButton(props: ButtonProps) {
  return <Button {...props} className={WIDE} />;
}

/** Loads its page anew: who is signed in, and the team, may have changed. */
export function EntryLink({
  look = 'plain',
  children,
  ...rest
}: AnchorHTMLAttributes<HTMLAnchorElement> & { look?: 'primary' | 'plain' }) {
  return (
    <a {...rest} className={cx(buttonClass(look), WIDE)}>
      {children}
    </a>
  );
}
