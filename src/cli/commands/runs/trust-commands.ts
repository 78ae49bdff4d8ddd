// Commands of a manifest run on this machine: each is shown and agreed to once.
import { trustFileOf } from '../../../config/state-folder.ts';
import { approve, loadTrust, newCommands } from '../../../orchestrator/index.ts';
import { homedir } from 'node:os';
import type { CommandOptions } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { complain, styledNote } from '../../terminal/output.ts';
import { visibleCommand } from '../../terminal/visible-command.ts';
import { confirmed } from '../../terminal/confirm.ts';

/** Returns when all of them may be run. */
export async function ensureTrusted(
  commands: readonly string[],
  root: string,
  options: CommandOptions,
): Promise<void> {
  const place = { root, file: trustFileOf(process.env, homedir()) };
  const fresh = newCommands(commands, await loadTrust(place));
  if (fresh.length === 0) return;
  if (!options['yes']) {
    const isAsking = mayAsk(options, process.env);
    const list = fresh.flatMap(visibleCommand).map((line) => `  ${line}`);
    if (!isAsking) {
      throw new CommandError({
        code: 'COMMANDS_NOT_APPROVED',
        message: `This manifest runs commands that are not approved on this machine:\n${list.join('\n')}`,
        hint: 'Read them, then run once in a terminal or pass --yes.',
      });
    }
    complain('This manifest runs commands on this machine:');
    for (const line of list) complain(styledNote('bold', line));
    if (!(await confirmed(options, 'Run them, now and in later runs of this project?'))) {
      throw new CommandError({
        code: 'COMMANDS_NOT_APPROVED',
        message: 'The commands were not approved; nothing was run.',
        hint: 'Change them in the manifest, or approve them.',
      });
    }
  }
  await approve(place, fresh);
}
