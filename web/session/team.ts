import { TEAM_KEY } from '../api/chosen-team.ts';

/** Undefined: the personal team. */
export function chooseTeam(teamId: string | undefined): void {
  if (teamId === undefined) localStorage.removeItem(TEAM_KEY);
  else localStorage.setItem(TEAM_KEY, teamId);
  // Everything on the page belongs to the other team.
  location.assign('/');
}
