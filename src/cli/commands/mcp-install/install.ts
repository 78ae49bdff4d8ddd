// millrace mcp install, millrace mcp uninstall
import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';

// Named here, not taken from their table: that would load the parsers for every list of commands.
const HOST_NAMES = ['claude', 'cursor', 'vscode', 'codex', 'gemini', 'opencode', 'copilot'];
const SCOPES = ['project', 'user'];
const DEFAULT_NAME = 'millrace';

function withTarget(command: Command): Command {
  return command
    .addArgument(new Argument('<host>', 'the assistant').choices(HOST_NAMES))
    .addOption(
      new Option(
        '--scope <scope>',
        'for this project or for all of yours (default: project; user for codex and copilot)',
      ).choices(SCOPES),
    )
    .option('--name <name>', 'name of the server in the config file', DEFAULT_NAME);
}

export function addMcpInstall(mcp: Command, act: Act): void {
  withTarget(
    describe(mcp.command('install'), 'add Millrace to the config file of an assistant', [
      'mcp install claude',
      'mcp install cursor --scope user',
      'mcp install codex --print',
    ]),
  )
    .option('--print', 'print the entry, write nothing')
    .option('--remote', 'use the tools that the server at --url offers; needs MILLRACE_API_KEY')
    .option('--workspace <folder>', 'the project folder (default: the one the assistant works in)')
    .option('--apply <mode>', 'write results to the project: ask, auto or never (default: ask)')
    .option('--model <id>', "the model (default: the server's)")
    .action(act(async () => (await import('./change-config.ts')).install));
  withTarget(
    describe(mcp.command('uninstall'), 'remove Millrace from the config file of an assistant', [
      'mcp uninstall claude',
    ]),
  ).action(act(async () => (await import('./change-config.ts')).uninstall));
}
