import { useState } from 'react';
import { ACTIONS, PERMISSIONS, ROLES } from '../../../../src/contract/permissions.ts';
import type { Role } from '../../../../src/contract/permissions.ts';
import type { AddedMember } from '../../../../src/contract/teams-api.ts';
import { api } from '../../../api/client.ts';
import { useMe } from '../../../session/me.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyBlock } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input, Select } from '../../../ui/field.tsx';
import { Ago } from '../../../ui/time.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { problemOf, useChange } from '../use-change.ts';

type Invitation = NonNullable<AddedMember['invitation']>;

function InvitationLink({
  email,
  invitation,
  onClose,
}: {
  email: string;
  invitation: Invitation;
  onClose: () => void;
}) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`${email} is invited`}
      lead={
        invitation.url !== null
          ? 'This server sends no mail: send them this link yourself.'
          : invitation.mailed
            ? 'They get a link by mail.'
            : 'The mail server does not take anything. Invite them again later.'
      }
    >
      {invitation.url === null ? null : <CopyBlock text={invitation.url} label="link" />}
      <p className="mt-2 text-sm text-soft">
        The link works once, and expires <Ago time={invitation.expiresAt} />.
      </p>
      <div className="mt-4 flex justify-end">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

export function InviteDialog({ teamId, onClose }: { teamId: string; onClose: () => void }) {
  const { data: me } = useMe();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const invite = useChange({
    change: () => api.teams.addMember(teamId, { email: email.trim(), role }),
    stale: ['members', 'teams'],
  });
  const invitation = invite.data?.invitation;
  if (invitation) {
    return <InvitationLink email={email} invitation={invitation} onClose={onClose} />;
  }
  return (
    <FormDialog
      title="Invite somebody"
      action="Create invitation"
      busy={invite.isPending}
      disabled={email.trim() === ''}
      onClose={onClose}
      onSubmit={() => invite.mutate(undefined)}
    >
      <Field label="Email" problem={problemOf(invite.error, 'email')}>
        {(props) => (
          <Input
            {...props}
            type="email"
            required
            placeholder="jane@example.com"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="Role"
        hint={`May ${PERMISSIONS[role].map((action) => ACTIONS[action]).join('; ')}.`}
      >
        {(props) => (
          <Select {...props} value={role} onChange={(event) => setRole(event.target.value as Role)}>
            {ROLES.filter((each) => each !== 'owner' || me?.team.role === 'owner').map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </FormDialog>
  );
}
