// millrace login
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { MillraceClient } from '../../../client/index.ts';
import type { DeviceCode } from '../../../contract/device-api.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { readCredentials } from '../../settings/settings-files.ts';
import { findSignIn, saveSignIn } from '../../settings/sign-ins.ts';
import { complain, note, print, styledNote } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { signInByDevice } from './device-flow.ts';
import { endSignIn } from './end-sign-in.ts';
import { browserOf, openBrowser } from './open-browser.ts';
import { signInSettings } from './server-address.ts';
import { showCaller } from './show-caller.ts';

export function addLogin(program: Command, act: Act): void {
  describe(program.command('login'), 'sign in to a server with your browser', [
    'login --url https://millrace.example.com',
    'login --no-browser    # only print the address and the code',
  ])
    .option('--no-browser', 'do not open a browser')
    .action(act(async () => login));
}

/** Without this nobody could sign in: shown with --quiet, too. */
function showCode(
  { userCode, verificationUrl, verificationUrlComplete }: DeviceCode,
  open: boolean,
) {
  const opener = open ? browserOf(process.env, process.platform) : undefined;
  const isOpened = opener !== undefined && openBrowser(verificationUrlComplete, opener);
  complain(`Your code: ${styledNote('bold', plain(userCode))}`);
  complain(
    isOpened
      ? `Approve the sign-in in your browser. If it does not open, go to ${plain(verificationUrl)}`
      : `Open ${plain(verificationUrl)} and enter the code.`,
  );
  note('Waiting for you to approve...');
}

async function login(options: CommandOptions): Promise<number> {
  const { url } = signInSettings(options);
  // Read first: a file that cannot be used is found before the sign-in.
  const before = findSignIn(readCredentials(process.env)?.values, url.value);
  const clientName = `millrace on ${hostname()}`.replace(/\p{Cc}/gu, '').slice(0, 100);
  const open = options['browser'] !== false;
  const { token, user, session } = await signInByDevice(url.value, clientName, (code) =>
    showCode(code, open),
  );
  const path = await saveSignIn(process.env, url.value, { token, email: user.email }).catch(
    async (error: unknown) => {
      // A token that is nowhere is of no use to anybody but a thief.
      await endSignIn(url.value, token);
      throw error;
    },
  );
  if (before !== undefined) await endSignIn(url.value, before.token);
  const me = await new MillraceClient(url.value, token).me();
  if (options['json']) {
    const { id, expiresAt } = session;
    print(JSON.stringify({ server: url.value, ...me, session: { id, expiresAt } }));
    return EXIT.ok;
  }
  note(`Signed in to ${url.value}. Stored in ${path}.`);
  showCaller(me, url.value, { from: 'millrace login', asOwner: false });
  if (process.env['MILLRACE_API_KEY']) {
    complain('MILLRACE_API_KEY is set: commands use that key, not this sign-in. Unset it.');
  }
  return EXIT.ok;
}
