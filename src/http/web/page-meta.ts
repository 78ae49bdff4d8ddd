// What the server says to the dashboard in the page itself.
import type { SignInOptions } from '../../domain/accounts/sign-in-options.ts';
import type { Launch } from '../../domain/command/suggested-command.ts';
import { escapeHtml } from '../../domain/text/escape-html.ts';

function meta(name: string, value: object): string {
  return `<meta name="${name}" content="${escapeHtml(JSON.stringify(value))}">`;
}

/** How a reader at the machine of the server calls the program. Paths of this machine are not for readers elsewhere. */
export function launchMeta(launch: Launch | undefined): string {
  return launch === undefined ? '' : meta('millrace-launch', launch);
}

export function signInMeta(options: SignInOptions): string {
  return meta('millrace-sign-in', options);
}
