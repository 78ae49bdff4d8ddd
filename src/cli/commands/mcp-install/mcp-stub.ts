// millrace mcp: until the tools themselves are a command, only their installation.
import type { Command } from 'commander';
import type { Act } from '../../command.ts';
import { describe } from '../../command.ts';
import { addMcpInstall } from './install.ts';

export function addMcp(program: Command, act: Act): void {
  const mcp = describe(program.command('mcp'), 'use Millrace from your AI assistant', [
    'mcp install claude',
    'mcp uninstall claude',
  ]).helpCommand(false);
  addMcpInstall(mcp, act);
}
