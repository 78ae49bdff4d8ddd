// Commands of a manifest run on this machine: each is shown and agreed to once.
import { trustFileOf } from '../../../config/state-folder.ts';
import {
  approvalOfHost,
  approvalOfLogin,
  approve,
  loadTrust,
  newCommands,
} from '../../../orchestrator/index.ts';
import { homedir } from 'node:os';
import type { CommandOptions } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { complain, styledNote } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { visibleCommand } from '../../terminal/visible-command.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { consentOf, mayRunCommands } from './of-request.ts';
import type { RunConsent } from './of-request.ts';
import type { NamedLogin } from './own-logins.ts';

export interface Asked {
  commands: readonly string[];
  /** What the configuration of the repository would have git run. */
  programs?: readonly string[];
  /** Those that commands may reach from the sandbox; undefined where they run as the user does. */
  hosts?: readonly string[] | undefined;
  /** Those that agents may reach. */
  agentHosts?: readonly string[];
  /** Those of the person that agents work with. */
  logins?: readonly NamedLogin[];
}

const linesOf = (commands: readonly string[]) =>
  commands.flatMap(visibleCommand).map((line) => `  ${line}`);

/** Of a runner its owner approves what the folder itself would have git run as everybody does: no request can. */
function hintFor(consent: RunConsent | undefined, programs: readonly string[]): string {
  if (consent === undefined) return 'Read them, then run once in a terminal or pass --yes.';
  if (programs.length === 0) return consent.hint;
  return 'They are in the git configuration of the project there. The owner of the runner approves them once, in a terminal in its folder, with a run or a pull request of their own.';
}

/** Returns when all of them may be run. */
export async function ensureTrusted(
  { commands, programs = [], hosts, agentHosts = [], logins = [] }: Asked,
  root: string,
  options: CommandOptions,
): Promise<void> {
  const place = { root, file: trustFileOf(process.env, homedir()) };
  const trust = await loadTrust(place);
  const consent = consentOf(process.env);
  const isAgreed = mayRunCommands(consent, hosts !== undefined);
  const fresh = newCommands([...(isAgreed ? [] : commands), ...programs], trust);
  // What the owner has agreed to for manifests of their own is not agreed to for those of others.
  const isFresh = (host: string) =>
    consent === undefined
      ? newCommands([approvalOfHost(host)], trust).length > 0
      : !consent.hosts.includes(host.toLowerCase());
  const freshHosts = (hosts ?? []).filter(isFresh);
  const forAgents = agentHosts.filter(isFresh);
  const approvalOf = ({ agent, file }: NamedLogin) => approvalOfLogin(agent, file);
  const freshLogins = logins.filter((one) =>
    consent === undefined
      ? newCommands([approvalOf(one)], trust).length > 0
      : !consent.ownLogins.includes(one.agent),
  );
  if (fresh.length + freshHosts.length + forAgents.length + freshLogins.length === 0) return;
  if (!options['yes']) {
    const where = hosts === undefined ? 'on this machine' : 'in the sandbox of this machine';
    const reach = [
      ...(freshHosts.length === 0 ? [] : [`Commands may reach: ${freshHosts.join(', ')}`]),
      ...(forAgents.length === 0 ? [] : [`Agents may reach: ${forAgents.join(', ')}`]),
      ...freshLogins.map(
        ({ agent, file, hosts: own }) =>
          `${agent} works with your own login (${plain(file)}), reaches ${own.join(', ')}, and has no limit of costs`,
      ),
    ];
    if (!mayAsk(options, process.env)) {
      const list =
        fresh.length === 0
          ? []
          : [
              'This manifest runs commands that are not approved on this machine:',
              ...linesOf(fresh),
            ];
      throw new CommandError({
        code: 'COMMANDS_NOT_APPROVED',
        message: [...list, ...reach.map((line) => `${line} (not approved on this machine)`)].join(
          '\n',
        ),
        hint: hintFor(consent, newCommands(programs, trust)),
      });
    }
    if (fresh.length > 0) complain(`This manifest runs commands ${where}:`);
    for (const line of linesOf(fresh)) complain(styledNote('bold', line));
    for (const line of reach) complain(styledNote('bold', line));
    const verb = fresh.length === 0 && freshLogins.length > 0 ? 'Allow this' : 'Run them';
    if (!(await confirmed(options, `${verb}, now and in later runs of this project?`))) {
      throw new CommandError({
        code: 'COMMANDS_NOT_APPROVED',
        message: 'The commands were not approved; nothing was run.',
        hint: 'Change them in the manifest, or approve them.',
      });
    }
  }
  const reached = [...freshHosts, ...forAgents].map(approvalOfHost);
  await approve(place, [...fresh, ...reached, ...freshLogins.map(approvalOf)]);
}
