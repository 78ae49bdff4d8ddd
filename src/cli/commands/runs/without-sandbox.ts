// --agents-without-sandbox: where none can be had, a person at a terminal may let agents work all the same.
import type { AgentSetting } from '../../../orchestrator/index.ts';
import { CommandError, usageError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { ask } from '../../terminal/ask.ts';
import { complain, note, styledNote } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { agentSandboxProblem } from './command-sandbox.ts';

const FLAG = '--agents-without-sandbox';

const RISK =
  'Without a sandbox, agents have your rights: they can read and change all your files, keys included, and reach every host.';

export interface AskedPlace {
  named: ReadonlyMap<string, readonly string[]>;
  /** Commands of the manifest run in the sandbox: why no answer of the person is enough. */
  needsSandbox: { hint: string } | undefined;
}

/** Commands over what agents changed have the sandbox by default; the person's settings take them out. */
export function commandsHint({ root, file }: { root: string; file: string }): string {
  return `To run them as you do, add to ${file}:\nprojects:\n  ${JSON.stringify(root)}: { commands: host }`;
}

const isWithoutAsked = (options: CommandOptions): boolean =>
  options['agentsWithoutSandbox'] === true;

/**
 * The place where the agents of a run work. Throws where there is no sandbox, unless the person does without: that is asked
 * each time, and no other flag answers.
 */
export async function placeOfAgents(
  { place }: AgentSetting,
  { named, needsSandbox }: AskedPlace,
  options: CommandOptions,
): Promise<AgentSetting['place']> {
  const problem = await agentSandboxProblem();
  if (problem === undefined) {
    if (isWithoutAsked(options)) {
      note(`This machine has a sandbox, and the agents work in it: ${FLAG} has no effect.`);
    }
    return place;
  }
  if (!isWithoutAsked(options)) {
    const hint = `${problem.hint}\nOr let them work without one, which is not safe: ${FLAG}`;
    throw new CommandError({ ...problem, hint });
  }
  if (needsSandbox !== undefined) {
    const message =
      'The commands of this manifest run over what agents changed, which needs the sandbox as well, and this machine cannot start one.';
    throw new CommandError({ ...problem, message, hint: needsSandbox.hint });
  }
  if (options['detach']) {
    throw usageError(`${FLAG} asks before each run, so --detach cannot be used with it.`);
  }
  if (!mayAsk(options, process.env)) {
    throw new CommandError({
      code: 'NO_TERMINAL',
      message: `${problem.message} ${RISK} ${FLAG} asks for your consent at a terminal, and there is none; --yes does not answer.`,
      hint: problem.hint,
    });
  }
  complain(`${problem.message} ${RISK}`);
  for (const [name, streams] of named) {
    complain(styledNote('bold', `  ${plain(name)}  for ${streams.map(plain).join(', ')}`));
  }
  const answer = await ask('Let them work without a sandbox in this run? [y/N] ');
  if (!['y', 'yes'].includes(answer)) {
    throw new CommandError({
      ...problem,
      message: 'The agents may not work without a sandbox; nothing was run.',
    });
  }
  return { ...place, isWithout: true };
}
