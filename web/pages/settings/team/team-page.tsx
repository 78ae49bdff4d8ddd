// The team that the page acts in: its members, its name, and other teams to change to.
import { useQuery } from '@tanstack/react-query';
import { Plus, UserPlus } from '../../../ui/icons.tsx';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useMe } from '../../../session/me.ts';
import { Button } from '../../../ui/button.tsx';
import { plural } from '../../../ui/format.ts';
import { Card, CardHead, Loaded, PageHead } from '../../../ui/surface.tsx';
import { Table } from '../../../ui/table.tsx';
import { useMay } from '../../../session/rights.ts';
import { ApprovalRules } from './approval-rules.tsx';
import { RunnerRules } from './runner-rules.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { useMemberColumns } from './member-columns.tsx';
import { CreateTeamDialog, RenameTeam } from './team-name.tsx';
import { ModelRules } from './model-rules.tsx';
import { TeamRow } from './team-row.tsx';
import { DangerZone } from './danger-zone.tsx';

function Members({ teamId, isPersonal }: { teamId: string; isPersonal: boolean }) {
  const mayManage = useMay('manage');
  const columns = useMemberColumns(teamId, isPersonal);
  const [inviting, setInviting] = useState(false);
  const members = useQuery({
    queryKey: ['members', teamId],
    queryFn: ({ signal }) => api.teams.members(teamId, { signal }),
  });
  return (
    <Card className="mb-6">
      <CardHead title={`Members${members.data ? ` (${members.data.total})` : ''}`}>
        {mayManage ? (
          <Button size="small" icon={<UserPlus />} onClick={() => setInviting(true)}>
            Invite
          </Button>
        ) : null}
      </CardHead>
      <Loaded query={members} rows={3}>
        {({ items }) => (
          <Table label="Members" columns={columns} rows={items} keyOf={({ userId }) => userId} />
        )}
      </Loaded>
      {inviting ? <InviteDialog teamId={teamId} onClose={() => setInviting(false)} /> : null}
    </Card>
  );
}

function Teams({ currentId }: { currentId: string }) {
  const [creating, setCreating] = useState(false);
  const teams = useQuery({ queryKey: ['teams'], queryFn: () => api.teams.list() });
  return (
    <Card className="mb-6">
      <CardHead title="Your teams">
        <Button size="small" icon={<Plus />} onClick={() => setCreating(true)}>
          Create team
        </Button>
      </CardHead>
      <Loaded query={teams} rows={2}>
        {({ items }) => (
          <ul>
            {items.map((team) => (
              <TeamRow key={team.id} team={team} isCurrent={team.id === currentId} />
            ))}
          </ul>
        )}
      </Loaded>
      {creating ? <CreateTeamDialog onClose={() => setCreating(false)} /> : null}
    </Card>
  );
}

export function TeamPage() {
  const { data: me } = useMe();
  const mayManage = useMay('manage');
  const teamId = me?.team.id ?? '';
  const team = useQuery({
    queryKey: ['teams', teamId],
    queryFn: ({ signal }) => api.teams.get(teamId, { signal }),
    enabled: teamId !== '',
  });
  return (
    <Loaded query={team}>
      {(data) => (
        <>
          <PageHead
            title={data.name}
            lead={`${data.personal ? 'Your personal team' : plural(data.memberCount, 'member')} · you are ${data.role}`}
          >
            {mayManage ? <RenameTeam team={data} /> : null}
          </PageHead>
          <Members teamId={data.id} isPersonal={data.personal} />
          <ModelRules team={data} />
          <ApprovalRules team={data} />
          <RunnerRules team={data} />
          <Teams currentId={data.id} />
          <DangerZone team={data} />
        </>
      )}
    </Loaded>
  );
}
