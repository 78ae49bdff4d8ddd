// millrace migrate
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { print } from '../../terminal/output.ts';
import { databaseFlags } from './database-flags.ts';

export function addMigrate(program: Command, act: Act): void {
  describe(program.command('migrate'), 'bring the database to the schema of this version', [
    'migrate',
    'migrate --database-url postgres://db.example.com/millrace',
  ])
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => migrateDatabase));
}

async function migrateDatabase(options: CommandOptions): Promise<number> {
  const { MIGRATIONS_FOLDER } = await import('../../../app/version.ts');
  const { migrate } = await import('../../../store/postgres/migrate.ts');
  const { configOf } = await import('../../settings/settings.ts');
  const { reachDatabase } = await import('./database.ts');
  const config = configOf(options);
  const database = await reachDatabase(config);
  try {
    const { applied, version } = await migrate({
      url: database.url,
      folder: MIGRATIONS_FOLDER,
      silenceMs: config.databaseSilenceSeconds * 1000,
    });
    if (options['json']) print(JSON.stringify({ applied, version }));
    else if (applied.length === 0) print(`The database is up to date (version ${version}).`);
    else print(`Applied ${applied.join(', ')}; the database is at version ${version}.`);
  } finally {
    await database.stop();
  }
  return EXIT.ok;
}
