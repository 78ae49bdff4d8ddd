// What the team may spend in a month, and the form to change it.
import { useMutation } from '@tanstack/react-query';
import { Pencil } from '../../ui/icons.tsx';
import { useState } from 'react';
import type { CurrentUsage } from '../../../src/contract/usage-api.ts';
import { api } from '../../api/client.ts';
import { problemOf } from '../../api/field-problems.ts';
import { queryClient } from '../../session/query-client.ts';
import { useMe } from '../../session/me.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { formatDollars } from '../../ui/format.ts';
import { Meter } from '../../ui/meter.tsx';
import { Stat } from './stat.tsx';

function BudgetForm({
  teamId,
  limitUsd,
  onDone,
}: {
  teamId: string;
  limitUsd: number | null;
  onDone: () => void;
}) {
  const [text, setText] = useState(limitUsd === null ? '' : String(limitUsd));
  const save = useMutation({
    mutationFn: (budgetUsd: number | null) => api.teams.update(teamId, { settings: { budgetUsd } }),
    onSuccess() {
      void queryClient.invalidateQueries({ queryKey: ['usage'] });
      onDone();
    },
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(text === '' ? null : Number(text));
      }}
    >
      <Field
        label="Dollars a month"
        hint="Empty for no limit. It resets on the 1st, 00:00 UTC."
        problem={problemOf(save.error, 'settings.budgetUsd')}
      >
        {(props) => (
          <Input
            {...props}
            type="number"
            min={0}
            step="any"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}

export function BudgetCard({ budget }: { budget: CurrentUsage['budget'] }) {
  const { data: me } = useMe();
  const [isOpen, setOpen] = useState(false);
  const { limitUsd, spentUsd, reservedUsd } = budget;
  const mayChange = me?.team.role === 'owner' || me?.team.role === 'admin';
  const state =
    limitUsd === null
      ? 'Nothing stops spending'
      : spentUsd >= limitUsd
        ? 'Used up: new jobs are refused until it is raised or the month ends'
        : spentUsd >= 0.8 * limitUsd
          ? 'More than 80% is spent; at 100% new jobs are refused'
          : `${formatDollars(limitUsd - spentUsd - reservedUsd)} left`;
  return (
    <Stat
      name="Budget"
      value={limitUsd === null ? 'None' : formatDollars(limitUsd)}
      note={reservedUsd > 0 ? `${state}, ${formatDollars(reservedUsd)} reserved` : state}
      action={
        mayChange ? (
          <Button
            size="small"
            look="ghost"
            className="mt-auto -ml-2 self-start"
            icon={<Pencil />}
            onClick={() => setOpen(true)}
          >
            {limitUsd === null ? 'Set a budget' : 'Change'}
          </Button>
        ) : null
      }
    >
      {limitUsd === null ? null : (
        <Meter label="Budget" used={spentUsd} reserved={reservedUsd} limit={limitUsd} />
      )}
      {me && isOpen ? (
        <Dialog
          open
          onOpenChange={setOpen}
          title="Budget of the team"
          lead="Jobs that could exceed it are refused. Webhooks hear of it at 80% and at 100%."
        >
          <BudgetForm teamId={me.team.id} limitUsd={limitUsd} onDone={() => setOpen(false)} />
        </Dialog>
      ) : null}
    </Stat>
  );
}
