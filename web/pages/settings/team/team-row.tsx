import { Check } from '../../../ui/icons.tsx';
import type { Team } from '../../../../src/contract/teams-api.ts';
import { chooseTeam } from '../../../session/team.ts';
import { Button } from '../../../ui/button.tsx';
import { plural } from '../../../ui/format.ts';

export function TeamRow({ team, isCurrent }: { team: Team; isCurrent: boolean }) {
  return (
    <li className="flex items-center gap-3 border-b border-line px-4 py-2.5 last:border-b-0">
      <span
        aria-hidden
        className="flex size-7 shrink-0 items-center justify-center rounded-md bg-accent-soft text-xs font-semibold text-accent-strong uppercase"
      >
        {team.name.slice(0, 1)}
      </span>
      <div className="min-w-0 flex-1">
        <div className="truncate text-sm font-medium">{team.name}</div>
        <div className="text-xs text-soft">
          {team.personal ? 'Personal' : plural(team.memberCount, 'member')} · {team.role}
        </div>
      </div>
      {isCurrent ? (
        <span className="inline-flex items-center gap-1 text-sm text-soft">
          <Check aria-hidden className="size-4" /> Current
        </span>
      ) : (
        <Button
          size="small"
          aria-label={`Switch to ${team.name}`}
          onClick={() => chooseTeam(team.id)}
        >
          Switch
        </Button>
      )}
    </li>
  );
}
