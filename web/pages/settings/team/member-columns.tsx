import { useState } from 'react';
import { ROLES } from '../../../../src/contract/permissions.ts';
import type { Member } from '../../../../src/contract/teams-api.ts';
import { api } from '../../../api/client.ts';
import { chooseTeam } from '../../../session/team.ts';
import { useMe } from '../../../session/me.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Select } from '../../../ui/field.tsx';
import type { Column } from '../../../ui/table.tsx';
import { Ago } from '../../../ui/time.tsx';
import { useChange } from '../use-change.ts';
import { useMay } from '../../../session/rights.ts';

function RoleField({ teamId, member }: { teamId: string; member: Member }) {
  const { data: me } = useMe();
  const change = useChange({
    change: (role: string) => api.teams.changeRole(teamId, member.userId, role),
    stale: ['members', 'teams', 'me'],
    said: ({ email, role }) => `${email} is now ${role}.`,
  });
  // Only owners make owners.
  const roles = ROLES.filter((role) => role !== 'owner' || me?.team.role === 'owner');
  return (
    <Select
      aria-label={`Role of ${member.email}`}
      className="capitalize"
      value={change.isPending ? change.variables : member.role}
      disabled={change.isPending}
      onChange={(event) => change.mutate(event.target.value)}
    >
      {roles.map((role) => (
        <option key={role} value={role}>
          {role}
        </option>
      ))}
    </Select>
  );
}

function Remove({ teamId, member }: { teamId: string; member: Member }) {
  const { data: me } = useMe();
  const [asking, setAsking] = useState(false);
  const isInvited = member.status === 'invited';
  const isSelf = member.userId === me?.user.id;
  const verb = isInvited ? 'Withdraw' : isSelf ? 'Leave' : 'Remove';
  const remove = useChange({
    change: () => api.teams.removeMember(teamId, member.userId),
    stale: ['members', 'teams'],
    said: () => `${member.email} is no longer ${isInvited ? 'invited' : 'in the team'}.`,
    onDone() {
      setAsking(false);
      if (isSelf) chooseTeam(undefined);
    },
  });
  return (
    <>
      <Button
        size="small"
        look="danger"
        aria-label={`${verb} ${member.email}`}
        onClick={() => setAsking(true)}
      >
        {verb}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={
          isInvited
            ? `Withdraw the invitation of ${member.email}?`
            : isSelf
              ? 'Leave this team?'
              : `Remove ${member.email}?`
        }
        action={isInvited ? 'Withdraw' : isSelf ? 'Leave the team' : 'Remove'}
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
      >
        {isInvited
          ? 'The link stops working at once.'
          : 'They lose access to the team at once, with all their API keys. What they ran stays in the team.'}
      </ConfirmDialog>
    </>
  );
}

/** `isPersonal`: the owner of a personal team is always its owner. */
export function useMemberColumns(teamId: string, isPersonal: boolean): readonly Column<Member>[] {
  const { data: me } = useMe();
  const mayManage = useMay('manage');
  const isSelf = ({ userId }: Member) => userId === me?.user.id;
  const isFixed = ({ role }: Member) => isPersonal && role === 'owner';
  // Only owners change owners.
  const mayChange = (member: Member) =>
    mayManage && !isFixed(member) && (member.role !== 'owner' || me?.team.role === 'owner');
  return [
    {
      head: 'Person',
      kind: 'title',
      cell: (member) => (
        <>
          <div className="font-medium">
            {member.name ?? member.email}
            {isSelf(member) ? <span className="ml-1.5 font-normal text-faint">you</span> : null}
          </div>
          {member.name ? <div className="text-xs text-soft">{member.email}</div> : null}
        </>
      ),
    },
    {
      head: 'Role',
      className: 'capitalize',
      cell: (member) =>
        mayChange(member) ? <RoleField teamId={teamId} member={member} /> : member.role,
    },
    {
      head: 'Joined',
      cell: ({ joinedAt, status }) =>
        joinedAt && status === 'active' ? (
          <Ago time={joinedAt} />
        ) : (
          <span className="text-warn">Invited</span>
        ),
    },
    {
      head: 'Actions',
      isHeadHidden: true,
      kind: 'end',
      cell: (member) =>
        mayChange(member) || (isSelf(member) && !isFixed(member)) ? (
          <Remove teamId={teamId} member={member} />
        ) : null,
    },
  ];
}
