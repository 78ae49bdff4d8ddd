// The API keys of an account, in the database of this machine's server, which may run meanwhile. Every account can be
// named, and a new one is made with its first key.
import { commandLine } from '../../command-name.ts';
import type { CommandOptions } from '../../command.ts';
import { textOf } from '../../flag-values.ts';
import { createApiKeyService } from '../../../services/accounts/api-keys.ts';
import { shownApiKey } from '../../../services/accounts/own-api-keys.ts';
import { configOf } from '../../settings/settings.ts';
import { withDatabase } from '../server/database.ts';
import type { ManagedKeys } from './managed-keys.ts';

export async function withKeysInDatabase<T>(
  options: CommandOptions,
  work: (keys: ManagedKeys) => Promise<T>,
): Promise<T> {
  const config = configOf(options);
  const email = textOf(options, 'email');
  return withDatabase(config, (deps) => {
    const service = createApiKeyService({ ...deps, defaultTier: config.defaultTier });
    return work({
      email,
      async list() {
        const records = await service.list(email);
        return records.map((record) => ({ ...record, ...shownApiKey(record) }));
      },
      async create(request) {
        const { existed, ...document } = await service.create({ email, ...request });
        const notes = [`Key "${document.name}" for ${document.email} (tier ${document.tier}).`];
        const { tier } = request;
        if (!existed || tier === undefined || tier === document.tier) return { document, notes };
        const change = commandLine('admin', 'tier', document.email, tier);
        const warning = `The account existed already, so its tier is still ${document.tier}: --tier is for new accounts. To change it: ${change}`;
        return { document, notes, warning };
      },
      revoke: (id) => service.revoke(id),
    });
  });
}
