// The team that this browser works in.

export const TEAM_KEY = 'millrace.team';

/** The team that requests act in; undefined for the personal one. */
export function chosenTeam(): string | undefined {
  return localStorage.getItem(TEAM_KEY) ?? undefined;
}
