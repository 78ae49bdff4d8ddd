// Who the caller is on a server, for people.
import type { Me } from '../../../client/index.ts';
import { print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';

const KINDS: Readonly<Record<Me['credential']['kind'], string>> = {
  key: 'API key',
  session: 'session',
  device: 'signed in',
  request: 'run request',
};

/** `from`: where the credential was found; the owner of a data folder has none of their own. */
export function showCaller(
  { user, team, credential }: Me,
  server: string,
  { from, asOwner }: { from: string; asOwner: boolean },
): void {
  const name = user.name === null ? '' : ` (${plain(user.name)})`;
  const lines: readonly (readonly [string, string])[] = [
    ['User', plain(user.email) + name + (user.isAdmin ? ', server administrator' : '')],
    ['Team', `${plain(team.name)}, ${team.role}, ${plain(team.tier)} tier`],
    ['Server', server],
    ['Credential', asOwner ? `none: you are the ${from}` : `${KINDS[credential.kind]} (${from})`],
  ];
  const width = Math.max(...lines.map(([label]) => label.length)) + 2;
  for (const [label, text] of lines) print(`${label.padEnd(width)}${text}`);
}
