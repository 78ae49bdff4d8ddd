import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { problemOf, useChange } from '../use-change.ts';

export function DeleteAccount({ email }: { email: string }) {
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const remove = useChange({
    change: () =>
      api.deleteAccount({ email: typed.trim(), ...(password === '' ? {} : { password }) }),
    stale: [],
    onDone: () => location.assign('/login'),
  });
  return (
    <>
      <Button look="danger" onClick={() => setOpen(true)}>
        Delete account
      </Button>
      {open ? (
        <FormDialog
          title="Delete your account?"
          lead="Your personal team, its runs, keys and webhooks are deleted, and you leave all other teams. This cannot be undone."
          action="Delete my account"
          busy={remove.isPending}
          disabled={typed.trim().toLowerCase() !== email.toLowerCase()}
          onClose={() => setOpen(false)}
          onSubmit={() => remove.mutate(undefined)}
        >
          <Field label={`Type ${email} to confirm`} problem={problemOf(remove.error, 'email')}>
            {(props) => (
              <Input
                {...props}
                autoComplete="off"
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </Field>
          <Field
            label="Password"
            hint="Empty if you have none."
            problem={problemOf(remove.error, 'password')}
          >
            {(props) => (
              <Input
                {...props}
                type="password"
                autoComplete="current-password"
                value={password}
                onChange={(event) => setPassword(event.target.value)}
              />
            )}
          </Field>
        </FormDialog>
      ) : null}
    </>
  );
}
