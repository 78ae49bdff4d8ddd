// How much runners do for the team at a time.
import { useState } from 'react';
import type { Team } from '../../../../src/contract/teams-api.ts';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../session/rights.ts';
import { Button } from '../../../ui/button.tsx';
import { Pencil } from '../../../ui/icons.tsx';
import { Card, CardHead } from '../../../ui/surface.tsx';
import { LimitDialog } from '../../runners/limit-dialog.tsx';

export function RunnerRules({ team }: { team: Team }) {
  const mayManage = useMay('manage');
  const [isOpen, setOpen] = useState(false);
  const limit = team.settings.maxRunningRequests ?? null;
  return (
    <Card className="mb-6">
      <CardHead title="Runs on runners">
        {mayManage ? (
          <Button
            size="small"
            icon={<Pencil />}
            aria-label="Change how many runs are made at a time"
            onClick={() => setOpen(true)}
          >
            Change
          </Button>
        ) : null}
      </CardHead>
      <p className="px-4 py-3 text-sm">
        {limit === null
          ? 'As many at a time as runners have room for.'
          : `${limit} at a time, over all projects.`}
      </p>
      {isOpen ? (
        <LimitDialog
          title="Runs of the team"
          now={limit}
          field="settings.maxRunningRequests"
          most={10_000}
          stale={['teams', 'audit']}
          change={(maxRunningRequests) =>
            api.teams.update(team.id, { settings: { maxRunningRequests } })
          }
          onClose={() => setOpen(false)}
        />
      ) : null}
    </Card>
  );
}
