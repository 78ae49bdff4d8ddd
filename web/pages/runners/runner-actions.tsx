// What can be done with a runner from here: let it finish, let it take again, forget it.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Runner } from '../../../src/contract/runner-api.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { toast, toastError } from '../../ui/toast.tsx';

export function RunnerActions({ runner: { id, name, isDraining } }: { runner: Runner }) {
  const client = useQueryClient();
  const [removes, setRemoves] = useState(false);
  const onSettled = () =>
    Promise.all(
      ['runners', 'projects', 'requests'].map((key) =>
        client.invalidateQueries({ queryKey: [key] }),
      ),
    );
  const drain = useMutation({
    mutationFn: () => api.runners.setDraining(id, !isDraining),
    onError: toastError,
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => api.runners.remove(id),
    onSuccess() {
      setRemoves(false);
      toast(`${name} was removed.`, 'good');
    },
    onError: toastError,
    onSettled,
  });
  return (
    <>
      <Button
        size="small"
        busy={drain.isPending}
        aria-label={`${isDraining ? 'Take again' : 'Drain'}: ${name}`}
        onClick={() => drain.mutate()}
      >
        {isDraining ? 'Take again' : 'Drain'}
      </Button>
      <Button
        size="small"
        look="danger"
        aria-label={`Remove ${name}`}
        onClick={() => setRemoves(true)}
      >
        Remove
      </Button>
      <ConfirmDialog
        open={removes}
        onOpenChange={setRemoves}
        title={`Remove ${name}?`}
        action="Remove the runner"
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        What it has under way goes to other runners, and what only it has the files of fails. If it
        still runs, it announces itself anew: stop it on its machine first.
      </ConfirmDialog>
    </>
  );
}
