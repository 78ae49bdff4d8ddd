// A kind of thing that commands manage, such as webhooks, and what can be done with it: a table that the commands are
// made from.
import type { Command } from 'commander';
import { describe } from './command.ts';
import type { Act, CommandAction } from './command.ts';

export interface Action {
  name: string;
  /** One line for lists of commands. */
  summary: string;
  examples: readonly string[];
  /** Adds arguments and flags. */
  input?(command: Command): Command;
  run: CommandAction;
}

export interface Resource {
  noun: string;
  summary: string;
  examples: readonly string[];
  /** What the noun alone does; without it, its help is shown. */
  run?: CommandAction;
  actions: readonly Action[];
}

export function addResource(resource: Resource, program: Command, act: Act): void {
  const { noun, summary, examples, run, actions } = resource;
  const parent = describe(program.command(noun), summary, examples).helpCommand(false);
  if (run !== undefined) parent.action(act(async () => run));
  for (const action of actions) {
    const command = describe(parent.command(action.name), action.summary, action.examples);
    action.input?.(command);
    command.action(act(async () => action.run));
  }
}
