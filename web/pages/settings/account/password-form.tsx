import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { Card, CardHead } from '../../../ui/surface.tsx';
import { problemOf, useChange } from '../use-change.ts';

export function PasswordForm({ email }: { email: string }) {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const change = useChange({
    change: () =>
      call(
        'POST',
        '/api/v1/auth/password',
        { currentPassword, newPassword },
        { replacesSession: true },
      ),
    stale: ['sessions'],
    said: () => 'Your password was changed. You were signed out everywhere else.',
    onDone() {
      setCurrent('');
      setNew('');
    },
  });
  return (
    <Card className="mb-6">
      <CardHead title="Password" />
      <form
        className="grid items-start gap-4 p-4 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate(undefined);
        }}
      >
        <input type="hidden" name="username" autoComplete="username" value={email} />
        <Field label="Current password" problem={problemOf(change.error, 'currentPassword')}>
          {(props) => (
            <Input
              {...props}
              type="password"
              required
              autoComplete="current-password"
              value={currentPassword}
              onChange={(event) => setCurrent(event.target.value)}
            />
          )}
        </Field>
        <Field
          label="New password"
          hint="At least 12 characters. A few unrelated words work well."
          problem={problemOf(change.error, 'newPassword')}
        >
          {(props) => (
            <Input
              {...props}
              type="password"
              required
              minLength={12}
              autoComplete="new-password"
              value={newPassword}
              onChange={(event) => setNew(event.target.value)}
            />
          )}
        </Field>
        <div>
          <Button type="submit" busy={change.isPending}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  );
}
