// For the day on which master keys are gone: without them no server starts, because it could not use what is stored.
import { discardLost, openAll } from '../../../services/provider-keys/secrets.ts';
import { isServed } from '../../../store/jobs/nodes.ts';
import type { DiscardedSecrets } from '../../../store/accounts/sealed-secrets.ts';
import type { CommandOptions } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { configOf } from '../../settings/settings.ts';
import { confirmByTyping } from '../../terminal/confirm.ts';
import { countOf } from '../../terminal/figures.ts';
import { print } from '../../terminal/output.ts';
import { withDatabase } from './database.ts';
import { masterKeysHere } from './master-keys-here.ts';

export function describeDiscarded({
  providerKeys,
  webhooks,
  triggers,
  jobs,
}: DiscardedSecrets): string {
  return [
    `${countOf(providerKeys, 'provider key')} deleted; add them again`,
    `${countOf(webhooks, 'webhook')} without a secret; rotate it`,
    `${countOf(triggers, 'secret')} of triggers deleted; rotate them`,
    `${countOf(jobs, 'waiting job')} without a key; they will fail`,
  ].join('\n');
}

export async function discardSecrets(options: CommandOptions): Promise<number> {
  const config = configOf(options);
  const masterKeys = masterKeysHere(config);
  const result = await withDatabase(config, async ({ db }) => {
    const found = await openAll(db, masterKeys);
    if (found.missing.length === 0) return undefined;
    // A server that runs has the key: it is missing on this machine alone.
    if (await isServed(db)) {
      throw new CommandError({
        code: 'SERVER_RUNNING',
        message:
          'A server is running on this database, so the master key is not lost. Nothing was changed.',
        hint: 'Copy master-keys.json from its data folder, or set the same MILLRACE_MASTER_KEY here.',
        exit: EXIT.failed,
      });
    }
    const secrets = found.missing.reduce((sum, each) => sum + each.secrets, 0);
    const keys = found.missing.map(({ masterKeyId }) => masterKeyId).join(', ');
    const what = `This deletes ${countOf(secrets, 'stored secret')} encrypted with the master key ${keys}, which is not here.`;
    await confirmByTyping(options, {
      word: 'discard',
      question: `${what} It cannot be undone, even if the key is found later.`,
      refusal: what,
      hint: 'Pass --yes to do it without a question.',
    });
    return db.tx((tx) => discardLost(tx, found));
  });
  const none = { providerKeys: 0, webhooks: 0, triggers: 0, jobs: 0 };
  if (options['json']) print(JSON.stringify(result ?? none));
  else if (result === undefined)
    print('Every stored secret has its master key: nothing to discard.');
  else print(describeDiscarded(result));
  return EXIT.ok;
}
