// millrace logout
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { readCredentials } from '../../settings/settings-files.ts';
import { deleteSignIn, findSignIn } from '../../settings/sign-ins.ts';
import { complain, note, print } from '../../terminal/output.ts';
import { endSignIn } from './end-sign-in.ts';
import { signInSettings } from './server-address.ts';

export function addLogout(program: Command, act: Act): void {
  describe(program.command('logout'), 'sign out of a server', [
    'logout',
    'logout --url https://millrace.example.com',
  ]).action(act(async () => logout));
}

async function logout(options: CommandOptions): Promise<number> {
  const server = signInSettings(options).url.value;
  const signIn = findSignIn(readCredentials(process.env)?.values, server);
  if (signIn === undefined) {
    if (options['json']) print(JSON.stringify({ signedOut: false, server }));
    else note(`You are not signed in to ${server}.`);
    return EXIT.ok;
  }
  const endedOnServer = await endSignIn(server, signIn.token);
  await deleteSignIn(process.env, server);
  if (options['json']) print(JSON.stringify({ signedOut: true, server, endedOnServer }));
  else note(`Signed out of ${server} (${signIn.email}).`);
  if (!endedOnServer) {
    complain(
      `Could not reach ${server}. Your sign-in was removed here, but the server keeps it until it expires. End it there in your list of sessions.`,
    );
  }
  return EXIT.ok;
}
