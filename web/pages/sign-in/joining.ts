// The team of an invitation, for the time that a person is away at the provider, which leads back to the sign-in page.
const KEY = 'millrace.joining';

export function keepJoining(teamId: string): void {
  sessionStorage.setItem(KEY, teamId);
}

export function takeJoining(): string | undefined {
  const teamId = sessionStorage.getItem(KEY) ?? undefined;
  sessionStorage.removeItem(KEY);
  return teamId;
}
