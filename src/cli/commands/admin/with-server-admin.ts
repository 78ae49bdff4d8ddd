// The accounts and teams of a server, for a command that runs beside it.
import type { ServerAdmin } from '../../../services/accounts/server-admin.ts';
import type { CommandOptions } from '../../command.ts';

export async function withServerAdmin<T>(
  options: CommandOptions,
  work: (admin: ServerAdmin) => Promise<T>,
): Promise<T> {
  const { createServerAdmin } = await import('../../../services/accounts/server-admin.ts');
  const { configOf } = await import('../../settings/settings.ts');
  const { withDatabase } = await import('../server/database.ts');
  return withDatabase(configOf(options), (deps) => work(createServerAdmin(deps)));
}
