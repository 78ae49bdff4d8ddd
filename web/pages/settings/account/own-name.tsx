import { useState } from 'react';
import type { Me } from '../../../../src/contract/auth-api.ts';
import { call } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { NameDialog } from '../name-dialog.tsx';
import { useChange } from '../use-change.ts';

export function OwnName({ name }: { name: string | null }) {
  const [open, setOpen] = useState(false);
  const rename = useChange({
    change: (next: string) => call<Me>('PATCH', '/api/v1/auth/me', { name: next.trim() }),
    // Lists name whoever made something.
    stale: ['me', 'runs', 'members'],
    said: ({ user }) => `You are ${user.name} now.`,
    onDone: () => setOpen(false),
  });
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        {name === null ? 'Add your name' : 'Change name'}
      </Button>
      {open ? (
        <NameDialog
          title={name === null ? 'Add your name' : 'Change your name'}
          lead="Your teams see it beside your runs and in the list of members."
          action="Save"
          first={name ?? ''}
          busy={rename.isPending}
          error={rename.error}
          onClose={() => setOpen(false)}
          onSubmit={(next) => rename.mutate(next)}
        />
      ) : null}
    </>
  );
}
