import { TriangleAlert } from '../../ui/icons.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyBlock } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** A secret that the server shows this once. */
export function SecretOnce({
  title,
  label,
  secret,
  lead,
  onClose,
}: {
  title: string;
  label: string;
  secret: string | undefined;
  lead: string;
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
      <div className="mt-5 flex justify-end">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
