// millrace migrate
import { MIGRATIONS_FOLDER } from '../../../app/version.ts';
import { migrate } from '../../../store/postgres/migrate.ts';
import { reachDatabase } from './database.ts';
import { EXIT } from '../../exit-codes.ts';
import { print } from '../../terminal/output.ts';
import type { CommandOptions } from '../../command.ts';
import { configOf } from '../../settings/settings.ts';

export async function migrateDatabase(options: CommandOptions): Promise<number> {
  const database = await reachDatabase(configOf(options));
  try {
    const { applied, version } = await migrate({ url: database.url, folder: MIGRATIONS_FOLDER });
    if (options['json']) print(JSON.stringify({ applied, version }));
    else if (applied.length === 0) print(`The database is up to date (version ${version}).`);
    else print(`Applied ${applied.join(', ')}; the database is at version ${version}.`);
  } finally {
    await database.stop();
  }
  return EXIT.ok;
}
