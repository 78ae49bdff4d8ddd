// Asks for a name.
import { useState } from 'react';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { problemOf } from './use-change.ts';

export function NameDialog({
  title,
  lead,
  action,
  first,
  busy,
  error,
  onClose,
  onSubmit,
}: {
  title: string;
  lead?: string;
  action: string;
  first: string;
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onSubmit: (name: string) => void;
}) {
  const [name, setName] = useState(first);
  return (
    <FormDialog
      title={title}
      lead={lead}
      action={action}
      busy={busy}
      disabled={name.trim() === '' || name === first}
      onClose={onClose}
      onSubmit={() => onSubmit(name)}
    >
      <Field label="Name" problem={problemOf(error, 'name')}>
        {(props) => (
          <Input
            {...props}
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
