// Says to the dashboard how a reader at the machine of the server calls the program.
import type { Launch } from '../../domain/command/suggested-command.ts';
import { escapeHtml } from '../../domain/text/escape-html.ts';

/** Nothing for readers elsewhere: paths of this machine are not theirs to know. */
export function launchMeta(launch: Launch | undefined): string {
  if (launch === undefined) return '';
  return `<meta name="millrace-launch" content="${escapeHtml(JSON.stringify(launch))}">`;
}
