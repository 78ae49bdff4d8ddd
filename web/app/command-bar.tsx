// The button in the top bar that opens the command palette, and the keys of the whole dashboard.
import { useNavigate } from '@tanstack/react-router';
import { Search } from '../ui/icons.tsx';
import { Suspense, lazy, useCallback, useState } from 'react';
import type { ShortcutAct } from './shortcuts.ts';
import { shownKey } from './shortcuts.ts';
import { useShortcuts } from './use-shortcuts.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog.tsx')).KeysDialog }));

export function CommandBar() {
  const navigate = useNavigate();
  const [open, setOpen] = useState<'palette' | 'keys'>();
  const close = () => setOpen(undefined);
  const act = useCallback(
    (wanted: ShortcutAct) => {
      if (wanted.kind === 'go') void navigate({ to: wanted.to });
      else if (wanted.kind !== 'filter') setOpen(wanted.kind);
      else {
        const field = document.querySelector<HTMLElement>('main input[type="search"], main select');
        if (field) field.focus();
        else setOpen('palette');
      }
    },
    [navigate],
  );
  useShortcuts(act);
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen('palette')}
        className="flex h-8 items-center gap-2 rounded-md border border-line bg-canvas px-2 text-sm text-faint transition-colors hover:border-line-strong hover:text-text sm:w-56"
      >
        <Search aria-hidden className="size-4" />
        <span className="sr-only sm:not-sr-only">Search or jump to</span>
        <kbd className="ml-auto hidden rounded border border-line px-1 text-2xs sm:inline">
          {shownKey('mod')} K
        </kbd>
      </button>
      <Suspense>
        {open === 'palette' ? <Palette onClose={close} onKeys={() => setOpen('keys')} /> : null}
        {open === 'keys' ? <KeysDialog onClose={close} /> : null}
      </Suspense>
    </>
  );
}
