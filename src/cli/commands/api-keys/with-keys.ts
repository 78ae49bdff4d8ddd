// The keys of a server, for a command that runs beside it. What that needs is loaded when it is used.
import type { ApiKeyService } from '../../../services/accounts/api-keys.ts';
import type { CommandOptions } from '../../command.ts';

export async function withKeys<T>(
  options: CommandOptions,
  work: (keys: ApiKeyService) => Promise<T>,
): Promise<T> {
  const { createApiKeyService } = await import('../../../services/accounts/api-keys.ts');
  const { configOf } = await import('../../settings/settings.ts');
  const { withDatabase } = await import('../server/database.ts');
  const config = configOf(options);
  return withDatabase(config, (deps) =>
    work(createApiKeyService({ ...deps, defaultTier: config.defaultTier })),
  );
}
