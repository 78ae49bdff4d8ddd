// Files that the person keeps.
import { chosenTeam } from './chosen-team.ts';
import { sessionFetch } from './session-fetch.ts';

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** What the API answers, as a file: a plain link could not say which team it is for. */
export async function download(path: string, name: string): Promise<void> {
  const teamId = chosenTeam();
  const response = await sessionFetch(path, {
    headers: teamId === undefined ? {} : { 'x-team-id': teamId },
  });
  if (!response.ok) throw new Error(`The server answered with status ${response.status}.`);
  saveFile(name, await response.blob());
}
