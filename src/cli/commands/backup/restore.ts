import { join, resolve } from 'node:path';
import { wantedModes } from '../../../app/prepare-database.ts';
import { MIGRATIONS_FOLDER } from '../../../app/version.ts';
import type { Config } from '../../../config/config.ts';
import type { Price } from '../../../domain/usage/largest-cost.ts';
import type { MasterKeys } from '../../../platform/envelope.ts';
import { KEYRING_FILE } from '../../../platform/keyring.ts';
import { useInstalledFacts } from '../../../providers/installed-facts.ts';
import { loadPrices } from '../../../providers/prices.ts';
import { createProviders } from '../../../providers/registry.ts';
import { discardLost, openAll } from '../../../services/provider-keys/secrets.ts';
import type { OpenedSecrets } from '../../../services/provider-keys/secrets.ts';
import type { DiscardedSecrets } from '../../../store/accounts/sealed-secrets.ts';
import { openBackupFile } from '../../../store/backup/read-file.ts';
import { restoreBackup } from '../../../store/backup/restore-backup.ts';
import type { Restored } from '../../../store/backup/restore-backup.ts';
import { describeCounts } from '../../../store/backup/restore-target.ts';
import type { DataCounts } from '../../../store/backup/restore-target.ts';
import { startEmbedded } from '../../../store/embedded/supervisor.ts';
import type { Queryable } from '../../../store/postgres/db.ts';
import { probeDatabase } from '../../../store/postgres/probe.ts';
import type { CommandOptions } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { configOf } from '../../settings/settings.ts';
import { confirmByTyping } from '../../terminal/confirm.ts';
import { countOf } from '../../terminal/figures.ts';
import { note, print } from '../../terminal/output.ts';
import type { DatabaseHandle } from '../server/database.ts';
import { describeDiscarded } from '../server/discard-secrets.ts';
import { masterKeysHere } from '../server/master-keys-here.ts';
import { existingBackup } from './backup-path.ts';
import { backupDocument, describeSums } from './sum-text.ts';

/** The embedded one is always ours alone: a running server would see its tables replaced. */
async function takeDatabase(config: Config): Promise<DatabaseHandle> {
  const { databaseUrl: url } = config;
  if (url === undefined) {
    const embedded = await startEmbedded({ dataDir: config.dataDir, log: note });
    return { url: embedded.url, stop: () => embedded.stop() };
  }
  const directUrl = config.databaseDirectUrl ?? url;
  await probeDatabase({ url, directUrl }, wantedModes(config), { hasSchema: false });
  return { url: directUrl, stop: async () => {} };
}

interface CheckedSecrets extends OpenedSecrets {
  discarded?: DiscardedSecrets;
}

async function checkSecrets(
  tx: Queryable,
  { masterKey, dataDir }: Config,
  { masterKeys, mayDiscard }: { masterKeys: MasterKeys; mayDiscard: boolean },
): Promise<CheckedSecrets> {
  const result = await openAll(tx, masterKeys);
  if (result.missing.length === 0) return result;
  if (mayDiscard) return { ...result, discarded: await discardLost(tx, result) };
  const ids = result.missing.map(({ masterKeyId }) => masterKeyId).join(', ');
  const count = result.missing.reduce((sum, { secrets }) => sum + secrets, 0);
  const how =
    masterKey === undefined
      ? `Copy ${KEYRING_FILE} of the server that made the backup to ${resolve(join(dataDir, KEYRING_FILE))}, or set MILLRACE_MASTER_KEY.`
      : 'Add it to MILLRACE_MASTER_KEY, after a comma.';
  throw new CommandError({
    code: 'MASTER_KEY_MISSING',
    message: `${countOf(count, 'stored secret')} cannot be decrypted: the master key ${ids} is missing. Nothing was restored.`,
    hint: `${how} If it is lost for good, add --discard-secrets.`,
    exit: EXIT.failed,
  });
}

function consentFrom(options: CommandOptions): (counts: DataCounts) => Promise<boolean> {
  return async (counts) => {
    if (!options['replace']) return false;
    const there = describeCounts(counts);
    await confirmByTyping(options, {
      word: 'replace',
      question: `This deletes what the database has now (${there}). It cannot be undone.`,
      refusal: `This would delete what the database has now (${there}).`,
      hint: 'Pass --yes as well to delete it without a question.',
    });
    return true;
  };
}

async function withPrices<T>(config: Config, work: (price: Price) => Promise<T>): Promise<T> {
  useInstalledFacts(config.dataDir);
  const prices = loadPrices(config.pricesFile);
  const vendors = { baseUrls: config.baseUrls, prices, scrub: (text: string) => text };
  const providers = createProviders({ simulator: config.simulator, vendors });
  try {
    return await work(
      (provider, model, usage, tier) =>
        providers.find(provider)?.costUsd(model, usage, tier) ?? null,
    );
  } finally {
    await providers.close();
  }
}

function show({ header, sums, released, migrated }: Restored, secrets: CheckedSecrets): void {
  print(`Restored ${describeSums(sums)}, as of ${header.takenAt}.`);
  const from = `from schema version ${header.schemaVersion} to ${migrated.at(-1)}`;
  if (migrated.length > 0) print(`Upgraded ${from}.`);
  if (released > 0) print(`${countOf(released, 'job')} that ran will start again.`);
  if (secrets.damaged > 0) {
    const damaged = countOf(secrets.damaged, 'secret');
    note(`${damaged} cannot be decrypted, as before the backup; add them again.`);
  }
  if (secrets.discarded !== undefined) print(describeDiscarded(secrets.discarded));
  print(
    `Verified every table, and ${countOf(secrets.opened, 'secret')} with the master keys here.`,
  );
}

export async function restore(options: CommandOptions, args: string[]): Promise<number> {
  const backup = await openBackupFile(existingBackup(args[0]));
  const config = configOf(options);
  const masterKeys = masterKeysHere(config);
  const database = await takeDatabase(config);
  try {
    let secrets: CheckedSecrets = { opened: 0, damaged: 0, missing: [] };
    const restored = await withPrices(config, (price) =>
      restoreBackup({
        url: database.url,
        backup,
        migrations: MIGRATIONS_FOLDER,
        price,
        mayReplace: consentFrom(options),
        async check(tx) {
          const mayDiscard = options['discardSecrets'] === true;
          secrets = await checkSecrets(tx, config, { masterKeys, mayDiscard });
        },
      }),
    );
    const { released, migrated, header, sums } = restored;
    if (!options['json']) show(restored, secrets);
    else {
      const { opened, damaged, discarded } = secrets;
      const document = backupDocument(header, sums);
      const secretCounts = { opened, damaged, ...(discarded && { discarded }) };
      print(JSON.stringify({ ...document, released, migrated, secrets: secretCounts }));
    }
    return EXIT.ok;
  } finally {
    await database.stop();
  }
}
