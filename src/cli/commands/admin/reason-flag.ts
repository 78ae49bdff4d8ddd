import type { Command } from 'commander';
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';

export function withReason(command: Command): Command {
  return command.option('--reason <text>', 'noted in the audit log');
}

export function reasonOf({ reason }: CommandOptions): string | undefined {
  if (typeof reason !== 'string') return undefined;
  if (reason.length > 500) throw usageError('--reason: must be at most 500 characters');
  return reason;
}
