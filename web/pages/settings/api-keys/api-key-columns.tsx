import { useState } from 'react';
import type { ApiKey } from '../../../../src/contract/api-keys-api.ts';
import { api } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Field, Select } from '../../../ui/field.tsx';
import type { Column } from '../../../ui/table.tsx';
import { Ago } from '../../../ui/time.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { useChange } from '../use-change.ts';

const STATUS_WORDS = { active: '', expired: 'Expired', revoked: 'Revoked' } as const;

function RotateDialog({
  apiKey,
  onClose,
  onRotated,
}: {
  apiKey: ApiKey;
  onClose: () => void;
  onRotated: (key: string) => void;
}) {
  const [hours, setHours] = useState(24);
  const rotate = useChange({
    change: () => api.apiKeys.rotate(apiKey.id, { gracePeriodHours: hours }),
    stale: ['api-keys'],
    onDone({ key }) {
      onClose();
      onRotated(key);
    },
  });
  return (
    <FormDialog
      title={`Rotate ${apiKey.name}`}
      lead="Creates a new key with the same name and scopes. The old one keeps working for a while, so that you can replace it without an interruption."
      action="Rotate"
      busy={rotate.isPending}
      onClose={onClose}
      onSubmit={() => rotate.mutate(undefined)}
    >
      <Field label="The old key works for">
        {(props) => (
          <Select
            {...props}
            value={hours}
            onChange={(event) => setHours(Number(event.target.value))}
          >
            <option value={0}>no longer (it leaked)</option>
            <option value={1}>1 hour</option>
            <option value={24}>24 hours</option>
            <option value={168}>7 days</option>
          </Select>
        )}
      </Field>
    </FormDialog>
  );
}

function Actions({ apiKey, onRotated }: { apiKey: ApiKey; onRotated: (key: string) => void }) {
  const [open, setOpen] = useState<'rotate' | 'revoke'>();
  const close = () => setOpen(undefined);
  const revoke = useChange({
    change: () => api.apiKeys.revoke(apiKey.id),
    stale: ['api-keys'],
    said: () => `${apiKey.name} was revoked.`,
    onDone: close,
  });
  return (
    <div className="flex justify-end gap-2">
      <Button size="small" aria-label={`Rotate ${apiKey.name}`} onClick={() => setOpen('rotate')}>
        Rotate
      </Button>
      <Button
        size="small"
        look="danger"
        aria-label={`Revoke ${apiKey.name}`}
        onClick={() => setOpen('revoke')}
      >
        Revoke
      </Button>
      {open === 'rotate' ? (
        <RotateDialog apiKey={apiKey} onClose={close} onRotated={onRotated} />
      ) : null}
      <ConfirmDialog
        open={open === 'revoke'}
        onOpenChange={close}
        title={`Revoke ${apiKey.name}?`}
        action="Revoke the key"
        busy={revoke.isPending}
        onConfirm={() => revoke.mutate(undefined)}
      >
        Programs that use it are refused at once. This cannot be undone. Work that it started goes
        on.
      </ConfirmDialog>
    </div>
  );
}

function Name({ apiKey: { name, maskedKey, status } }: { apiKey: ApiKey }) {
  return (
    <>
      <div className="font-medium">
        {name}
        {status === 'active' ? null : (
          <span className="ml-2 rounded-full bg-sunken px-2 py-0.5 text-xs text-soft">
            {STATUS_WORDS[status]}
          </span>
        )}
      </div>
      <div className="mt-0.5 font-mono text-xs whitespace-nowrap text-soft">{maskedKey}</div>
    </>
  );
}

const NEVER = <span className="text-faint">never</span>;

export function apiKeyColumns(onRotated: (key: string) => void): readonly Column<ApiKey>[] {
  return [
    { head: 'Key', kind: 'title', cell: (apiKey) => <Name apiKey={apiKey} /> },
    {
      head: 'Scopes',
      label: 'Scopes',
      className: 'text-soft',
      cell: ({ scopes }) => (scopes.includes('admin') ? 'everything' : scopes.join(', ')),
    },
    {
      head: 'Last used',
      label: 'Used',
      cell: ({ lastUsedAt }) => (lastUsedAt ? <Ago time={lastUsedAt} /> : NEVER),
    },
    {
      head: 'Expires',
      label: 'Expires',
      cell: ({ expiresAt }) => (expiresAt ? <Ago time={expiresAt} /> : NEVER),
    },
    {
      head: 'Actions',
      isHeadHidden: true,
      cell: (apiKey) =>
        apiKey.status === 'active' ? <Actions apiKey={apiKey} onRotated={onRotated} /> : null,
    },
  ];
}
