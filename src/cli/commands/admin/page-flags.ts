// Flags of the lists of accounts and teams.
import type { Command } from 'commander';
import type { AdminListQuery } from '../../../contract/admin-api.ts';
import { usageError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import type { CommandOptions } from '../../command.ts';
import { numberOf } from '../../flag-values.ts';
import { databaseFlags } from '../server/database-flags.ts';

export function withPageFlags(command: Command): Command {
  return command
    .option('--search <text>', 'part of an email address or a name, or a whole id')
    .option('--limit <number>', 'how many to show, 1 to 100', '50')
    .option('--before <id>', 'only those created before this one')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl());
}

export function pageOf(options: CommandOptions): AdminListQuery {
  const limit = numberOf(options, 'limit', '--limit') ?? 50;
  if (limit < 1 || limit > 100) throw usageError(`--limit ${limit}: must be 1 to 100`);
  const { search, before } = options as { search?: string; before?: string };
  return { limit, search, before };
}

/** The command that shows what follows, if anything does. */
export function nextPage(
  noun: 'users' | 'teams',
  { nextCursor }: { nextCursor: string | null },
  { search }: AdminListQuery,
): string | undefined {
  if (nextCursor === null) return undefined;
  const asked = search === undefined ? [] : ['--search', search];
  return commandLine('admin', noun, ...asked, '--before', nextCursor);
}
