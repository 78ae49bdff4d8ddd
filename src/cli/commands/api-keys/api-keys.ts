// millrace api-keys create | list | revoke
import { ConfigError } from '../../../config.ts';
import { isTier } from '../../../domain/job/tiers.ts';
import { createApiKeyService } from '../../../services/api-keys.ts';
import type { ApiKeyService } from '../../../services/api-keys.ts';
import { withDatabase } from '../server/database.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print, styled } from '../../terminal/output.ts';
import type { CommandOptions } from '../../command.ts';
import { configOf } from '../../settings/settings.ts';

function withKeys<T>(
  options: CommandOptions,
  work: (keys: ApiKeyService) => Promise<T>,
): Promise<T> {
  const config = configOf(options);
  return withDatabase(config, (deps) =>
    work(createApiKeyService({ ...deps, defaultTier: config.defaultTier })),
  );
}

function daysOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const days = Number(text);
  if (Number.isFinite(days) && days > 0 && days <= 36_500) return days;
  throw new ConfigError([`--expires-in-days "${text}": must be a number above 0`]);
}

export async function createKey(options: CommandOptions): Promise<number> {
  const tier = String(options['tier'] ?? '');
  const scopes = options['scopes'] as string | undefined;
  const expiresInDays = daysOf(options['expiresInDays'] as string | undefined);
  const created = await withKeys(options, (keys) =>
    keys.create({
      email: String(options['email']),
      name: String(options['name']),
      tier: isTier(tier) ? tier : undefined,
      scopes: scopes?.split(',').map((scope) => scope.trim()),
      expiresInDays,
    }),
  );
  if (options['json']) print(JSON.stringify(created));
  else {
    print(created.key);
    note(
      `Key "${created.name}" of ${created.email} (${created.tier}). It is shown only now: keep it.`,
    );
  }
  return EXIT.ok;
}

export async function listKeys(options: CommandOptions): Promise<number> {
  const keys = await withKeys(options, (service) => service.list(String(options['email'])));
  if (options['json']) {
    print(JSON.stringify({ items: keys }));
    return EXIT.ok;
  }
  for (const key of keys) {
    const state = key.revokedAt ? 'revoked' : key.expired ? 'expired' : 'active';
    const used = key.lastUsedAt ? `used ${key.lastUsedAt.toISOString()}` : 'never used';
    print(`${key.id}  ${key.hint}  ${state}  ${used}  ${styled('bold', key.name)}`);
  }
  if (keys.length === 0) note('This account has no keys.');
  return EXIT.ok;
}

export async function revokeKey(options: CommandOptions, args: string[]): Promise<number> {
  const id = args[0] ?? '';
  await withKeys(options, (keys) => keys.revoke(id));
  if (options['json']) print(JSON.stringify({ id, revoked: true }));
  else print(`Revoked ${id}.`);
  return EXIT.ok;
}
