// The accounts of a server, for a command that runs beside it. What that needs is loaded when it is used.
import type { AccountAdmin } from '../../../services/accounts/account-admin.ts';
import type { Config } from '../../../config/config.ts';
import type { CommandOptions } from '../../command.ts';

export async function withAccounts<T>(
  options: CommandOptions,
  work: (accounts: AccountAdmin) => Promise<T>,
): Promise<T> {
  const { configOf } = await import('../../settings/settings.ts');
  const config = configOf(options);
  const running = config.publicUrl === undefined ? await runningServer(config) : undefined;
  // A port that was named is meant, whatever runs here.
  const isNamed = options['port'] !== undefined;
  return withAccountsOf(running && !isNamed ? { ...config, publicUrl: running } : config, work);
}

async function runningServer(config: Config): Promise<string | undefined> {
  const { findLocal } = await import('../../local-server.ts');
  return findLocal(config);
}

/** Links lead to the public address of these settings, else to where a server of theirs would listen. */
export async function withAccountsOf<T>(
  config: Config,
  work: (accounts: AccountAdmin) => Promise<T>,
): Promise<T> {
  const { createPasswordHasher } = await import('../../../platform/password-hash.ts');
  const { createAccountAdmin } = await import('../../../services/accounts/account-admin.ts');
  const { createPasswords } = await import('../../../services/accounts/passwords.ts');
  const { withDatabase } = await import('../server/database.ts');
  const address = config.host.includes(':') ? `[${config.host}]` : config.host;
  return withDatabase(config, (deps) =>
    work(
      createAccountAdmin({
        ...deps,
        passwords: createPasswords(createPasswordHasher()),
        defaultTier: config.defaultTier,
        publicUrl: () => config.publicUrl ?? `http://${address}:${config.port}`,
      }),
    ),
  );
}
