import { TEAM_KEY } from '../api/chosen-team.ts';

/** The team that the dashboard opens with the next time. Undefined: the personal team. */
export function rememberTeam(teamId: string | undefined): void {
  if (teamId === undefined) localStorage.removeItem(TEAM_KEY);
  else localStorage.setItem(TEAM_KEY, teamId);
}

export function chooseTeam(teamId: string | undefined): void {
  rememberTeam(teamId);
  // Everything on the page belongs to the other team.
  location.assign('/');
}
