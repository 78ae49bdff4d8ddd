import { Download } from '../../../ui/icons.tsx';
import { useState } from 'react';
import type { Team } from '../../../../src/contract/teams-api.ts';
import { api } from '../../../api/client.ts';
import { chooseTeam } from '../../../session/team.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { Card, CardHead } from '../../../ui/surface.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { useChange } from '../use-change.ts';
import { useMay } from '../../../session/rights.ts';

function DeleteTeam({ team }: { team: Team }) {
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const remove = useChange({
    change: () => api.teams.remove(team.id),
    stale: ['teams'],
    onDone: () => chooseTeam(undefined),
  });
  return (
    <>
      <Button look="danger" onClick={() => setOpen(true)}>
        Delete team
      </Button>
      {open ? (
        <FormDialog
          title={`Delete ${team.name}?`}
          lead="Its runs, keys, webhooks and API keys are deleted for all members. This cannot be undone."
          action="Delete the team"
          busy={remove.isPending}
          disabled={typed !== team.name}
          onClose={() => setOpen(false)}
          onSubmit={() => remove.mutate(undefined)}
        >
          <Field label={`Type ${team.name} to confirm`}>
            {(props) => (
              <Input
                {...props}
                autoComplete="off"
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </Field>
        </FormDialog>
      ) : null}
    </>
  );
}

/** Taking everything along, and deleting it. */
export function DangerZone({ team }: { team: Team }) {
  const mayManage = useMay('manage');
  const mayBill = useMay('bill');
  if (!mayManage) return null;
  return (
    <Card>
      <CardHead title="Team data" />
      <div className="flex flex-wrap items-center gap-3 px-4 py-3 text-sm text-soft">
        <p className="min-w-0 flex-1 basis-60">
          Everything in the team as one ZIP archive of JSON files.
        </p>
        <a className={buttonClass()} href={`/v1/teams/${team.id}/export`} download>
          <Download aria-hidden />
          Export
        </a>
        {mayBill && !team.personal ? <DeleteTeam team={team} /> : null}
      </div>
    </Card>
  );
}
