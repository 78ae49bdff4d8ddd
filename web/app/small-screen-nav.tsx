import { Menu as MenuIcon } from '../ui/icons.tsx';
import * as Dialog from 'radix-ui/dialog';
import { useState } from 'react';
import { IconButton } from '../ui/button.tsx';
import { SideBar } from './side-bar.tsx';

/** The side bar of screens that have no room for it. */
export function SmallScreenNav() {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <IconButton name="Pages" className="lg:hidden">
          <MenuIcon />
        </IconButton>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 w-60 border-r border-line bg-surface shadow-pop"
        >
          <Dialog.Title className="sr-only">Pages</Dialog.Title>
          <SideBar onNavigate={() => setOpen(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
