// Who has to approve what runs of the team write.
import type { Team } from '../../../../src/contract/teams-api.ts';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../session/rights.ts';
import { Checkbox } from '../../../ui/field.tsx';
import { Card, CardHead } from '../../../ui/surface.tsx';
import { useChange } from '../use-change.ts';

export function ApprovalRules({ team }: { team: Team }) {
  const mayManage = useMay('manage');
  const save = useChange({
    change: (approvalByOther: boolean) =>
      api.teams.update(team.id, { settings: { approvalByOther } }),
    stale: ['teams'],
    said: ({ settings }) =>
      settings.approvalByOther === true
        ? 'Changes need another person now.'
        : 'People may approve their own changes now.',
  });
  return (
    <Card className="mb-6">
      <CardHead title="Approvals" />
      <div className="flex flex-col gap-1 px-4 py-3">
        <Checkbox
          label="Another person approves changes and pushes"
          checked={team.settings.approvalByOther === true}
          disabled={!mayManage || save.isPending}
          onChange={(event) => save.mutate(event.target.checked)}
        />
        <p className="ml-6 text-xs text-soft">
          The author of a run cannot approve them. For changes of a run at their own terminal this
          is advice.
        </p>
      </div>
    </Card>
  );
}
