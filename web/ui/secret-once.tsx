import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyBlock } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { TriangleAlert } from './frame-icons.tsx';

/** A secret that the server shows this once. */
export function SecretOnce({
  title,
  label,
  secret,
  lead,
  children,
  onClose,
}: {
  title: string;
  label: string;
  secret: string | undefined;
  lead: string;
  /** What can be done with it. */
  children?: ReactNode;
  onClose: () => void;
}) {
  return (
    <Dialog
      open={secret !== undefined}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={title}
      lead={lead}
    >
      <CopyBlock text={secret ?? ''} label={label} />
      <p className="mt-3 flex items-center gap-2 text-sm text-warn">
        <TriangleAlert aria-hidden className="size-4 shrink-0" />
        Save it now. It is not shown again.
      </p>
      {children}
      <div className="mt-5 flex justify-end">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
