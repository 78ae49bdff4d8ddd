// The API keys that a command manages: those of the caller over the API of a server, or those of any account in the
// database of this machine's server.
import type { ApiKey } from '../../../client/index.ts';
import type { Tier } from '../../../domain/job/tiers.ts';
import { usageError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { readClientSettings } from '../../settings/client-settings.ts';

export interface KeyRequest {
  name: string;
  scopes: string[] | undefined;
  expiresInDays: number | undefined;
  /** Of the account, if it is new. */
  tier: Tier | undefined;
}

/** A key that was just made, and what to say about it. */
export interface NewKey {
  /** With the key itself: it is shown this once. */
  document: { key: string };
  notes: string[];
  /** What was asked for and not done; also beside a document. */
  warning?: string;
}

export interface ManagedKeys {
  /** The account, where it is not the caller's own. */
  email: string | undefined;
  list(): Promise<ApiKey[]>;
  create(request: KeyRequest): Promise<NewKey>;
  revoke(id: string): Promise<void>;
}

const given = (options: CommandOptions, ...names: string[]) =>
  names.find((name) => options[name] !== undefined);

/** What is said on the command line comes first. Without a credential, the caller is the owner of this machine's server. */
function isInDatabase(options: CommandOptions): boolean {
  const remote = given(options, 'url', 'team', 'apiKey', 'profile');
  if (given(options, 'email', 'tier', 'databaseUrl') !== undefined) {
    if (remote !== 'url' && remote !== 'team') return true;
    throw usageError(
      `--${remote} is for keys of your own. Keys of other accounts are managed on the machine of the server.`,
      `Leave out --${remote} there, or --email, --tier and --database-url here.`,
    );
  }
  if (remote !== undefined) return false;
  if (given(options, 'dataDir') !== undefined) return true;
  return readClientSettings(options, process.env, process.cwd()).apiKey === undefined;
}

export async function withManagedKeys<T>(
  options: CommandOptions,
  work: (keys: ManagedKeys) => Promise<T>,
): Promise<T> {
  if (isInDatabase(options)) {
    const { withKeysInDatabase } = await import('./in-database.ts');
    return withKeysInDatabase(options, work);
  }
  const { keysOverApi } = await import('./over-api.ts');
  return work(await keysOverApi(options));
}
