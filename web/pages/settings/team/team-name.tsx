import { useState } from 'react';
import type { Team } from '../../../../src/contract/teams-api.ts';
import { api } from '../../../api/client.ts';
import { chooseTeam } from '../../../session/team.ts';
import { Button } from '../../../ui/button.tsx';
import { NameDialog } from '../name-dialog.tsx';
import { useChange } from '../use-change.ts';

export function RenameTeam({ team }: { team: Team }) {
  const [open, setOpen] = useState(false);
  const rename = useChange({
    change: (name: string) => api.teams.update(team.id, { name }),
    stale: ['teams', 'me'],
    said: ({ name }) => `The team is called ${name} now.`,
    onDone: () => setOpen(false),
  });
  return (
    <>
      <Button onClick={() => setOpen(true)}>Rename</Button>
      {open ? (
        <NameDialog
          title="Rename the team"
          action="Rename"
          first={team.name}
          busy={rename.isPending}
          error={rename.error}
          onClose={() => setOpen(false)}
          onSubmit={(name) => rename.mutate(name)}
        />
      ) : null}
    </>
  );
}

export function CreateTeamDialog({ onClose }: { onClose: () => void }) {
  const create = useChange({
    change: (name: string) => api.teams.create({ name }),
    stale: ['teams'],
    onDone: ({ id }) => chooseTeam(id),
  });
  return (
    <NameDialog
      title="Create a team"
      lead="You become its owner, and the dashboard switches to it. It has its own runs, keys, budget and plan."
      action="Create"
      first=""
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={(name) => create.mutate(name)}
    />
  );
}
