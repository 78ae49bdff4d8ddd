// millrace mcp: the tools for AI assistants, over standard input and output.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { addMcpInstall } from '../mcp-install/install.ts';
import { databaseFlags } from '../server/database-flags.ts';

export function addMcp(program: Command, act: Act): void {
  const mcp = describe(program.command('mcp'), 'use Millrace from your AI assistant', [
    'mcp install claude',
    'mcp --check',
    'mcp --workspace ~/code/shop',
  ])
    .helpCommand(false)
    .option('--workspace <folder>', 'project folder (default: MILLRACE_WORKSPACE)')
    .option('--apply <mode>', 'write results to the project: ask, auto or never')
    .option('--model <id>', "the model (default: the server's)")
    .option('--check', 'show the settings, try the server, and exit')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(
      act(
        async () => async (options, args) =>
          options['check']
            ? (await import('./check.ts')).check(options, args)
            : (await import('./serve-tools.ts')).serveTools(options, args),
      ),
    );
  addMcpInstall(mcp, act);
}
