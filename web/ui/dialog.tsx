import * as Radix from 'radix-ui/dialog';
import { X } from './icons.tsx';
import type { ReactNode } from 'react';
import { Button, IconButton } from './button.tsx';

// Without a blur: a browser that draws without a graphics card takes a tenth of a second for each frame of one.
const OVERLAY = 'fixed inset-0 z-40 bg-black/45';

export function Dialog({
  open,
  onOpenChange,
  title,
  lead,
  children,
  wide = false,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  lead?: ReactNode;
  children: ReactNode;
  wide?: boolean;
}) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={OVERLAY} />
        <Radix.Content
          {...(lead ? {} : { 'aria-describedby': undefined })}
          className={`fixed top-[12vh] left-1/2 z-50 flex max-h-[78vh] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line-strong bg-raised shadow-pop ${wide ? 'max-w-3xl' : 'max-w-lg'}`}
        >
          <header className="flex items-start gap-3 px-5 pt-4">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
              {lead ? (
                <Radix.Description asChild>
                  <div className="mt-1 text-sm text-soft">{lead}</div>
                </Radix.Description>
              ) : null}
            </div>
            <Radix.Close asChild>
              <IconButton name="Close">
                <X />
              </IconButton>
            </Radix.Close>
          </header>
          <div className="overflow-y-auto px-5 pt-3 pb-5">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** For what cannot be undone: says what follows, and asks once. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  children,
  action,
  busy,
  onConfirm,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  children: ReactNode;
  /** What the button says: a verb with its object. */
  action: string;
  busy?: boolean;
  onConfirm: () => void;
}) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title}>
      <div className="text-sm text-soft">{children}</div>
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={() => onOpenChange(false)}>Keep it</Button>
        <Button look="danger" busy={busy ?? false} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
