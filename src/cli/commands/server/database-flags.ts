// Flags of commands that open the database themselves.
import { Option, type Command } from 'commander';

export const databaseFlags = {
  dataDir: () => new Option('--data-dir <folder>', 'folder of the embedded database'),
  databaseUrl: () =>
    new Option('--database-url <url>', 'your own PostgreSQL instead of the embedded one'),
};

export function withDatabaseFlags(command: Command): Command {
  return command.addOption(databaseFlags.dataDir()).addOption(databaseFlags.databaseUrl());
}
