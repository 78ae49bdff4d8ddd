// Pause, resume, change and delete: the same for schedules and triggers.
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Pause, Pencil, Play } from '../../ui/icons.tsx';
import { useChange } from '../settings/use-change.ts';

export type Noun = 'schedule' | 'trigger';

const KINDS = {
  schedule: { list: '/schedules', edit: '/schedules/$id/edit', api: api.schedules },
  trigger: { list: '/triggers', edit: '/triggers/$id/edit', api: api.triggers },
} as const;

export function StarterActions({
  noun,
  starter: { id, name, status },
  children,
}: {
  noun: Noun;
  starter: { id: string; name: string; status: 'active' | 'paused' };
  /** What only this kind can do. */
  children: ReactNode;
}) {
  const { list, edit, api: calls } = KINDS[noun];
  const navigate = useNavigate();
  const [removes, setRemoves] = useState(false);
  const isActive = status === 'active';
  const toggle = useChange({
    change: async () => {
      await calls.update(id, { status: isActive ? 'paused' : 'active' });
    },
    stale: [`${noun}s`, noun],
    said: () => (isActive ? `The ${noun} is paused.` : `The ${noun} is active, as yours.`),
  });
  const remove = useChange({
    change: () => calls.remove(id),
    stale: [`${noun}s`],
    said: () => `The ${noun} was deleted.`,
    onDone: () => void navigate({ to: list }),
  });
  return (
    <>
      {children}
      <Button
        icon={isActive ? <Pause /> : <Play />}
        busy={toggle.isPending}
        onClick={() => toggle.mutate(undefined)}
      >
        {isActive ? 'Pause' : 'Resume'}
      </Button>
      <Link to={edit} params={{ id }} className={buttonClass()}>
        <Pencil aria-hidden />
        Edit
      </Link>
      <Button look="danger" onClick={() => setRemoves(true)}>
        Delete
      </Button>
      <ConfirmDialog
        open={removes}
        onOpenChange={setRemoves}
        title={`Delete this ${noun}?`}
        action={`Delete the ${noun}`}
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
      >
        <bdi className="font-medium [overflow-wrap:anywhere]">{name}</bdi> starts nothing any more,
        and its log is deleted. Runs that it has asked for continue.
      </ConfirmDialog>
    </>
  );
}
