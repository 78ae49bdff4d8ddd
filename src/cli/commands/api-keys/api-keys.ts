// millrace api-keys: who may call the server.
import type { Command } from 'commander';
import { Option } from 'commander';
import type { ApiKey } from '../../../client/index.ts';
import { SCOPES } from '../../../contract/permissions.ts';
import { TIER_NAMES } from '../../../domain/job/tiers.ts';
import type { CommandOptions } from '../../command.ts';
import type { Resource } from '../../resource.ts';
import { idColumn, showList } from '../../show-list.ts';
import { showOutcome } from '../../show-outcome.ts';
import { localTime } from '../../terminal/local-time.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';
import { withDatabaseFlags } from '../server/database-flags.ts';
import { createKey } from './create.ts';
import { findKeyId } from './find-key.ts';
import { withManagedKeys } from './managed-keys.ts';
import { rotateKey } from './rotate.ts';

const keyId = (command: Command) => command.argument('<id>', 'the id of the key, or how it begins');

async function listKeys(options: CommandOptions): Promise<number> {
  const items = await withManagedKeys(options, (keys) => keys.list());
  return showList<ApiKey>(options, {
    document: { items },
    rows: items,
    columns: [
      idColumn(items),
      { head: 'KEY', text: ({ maskedKey }) => maskedKey },
      statusColumn(({ status }) => status),
      {
        head: 'LAST USED',
        text: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : localTime(lastUsedAt)),
      },
      { head: 'NAME', text: ({ name }) => plain(name), isFlexible: true },
    ],
    empty: 'This account has no keys.',
  });
}

async function revokeKey(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const id = await withManagedKeys(options, async (keys) => {
    const whole = await findKeyId(keys, asked);
    await keys.revoke(whole);
    return whole;
  });
  return showOutcome(options, { document: { id, revoked: true }, text: `Revoked ${id}.` });
}

export const API_KEYS: Resource = {
  noun: 'api-keys',
  summary: 'manage your API keys',
  examples: [
    'api-keys list',
    'api-keys create ci --scopes jobs,history --expires-in-days 90',
    'api-keys create --email ci@example.com    # on the machine of the server',
  ],
  actions: [
    {
      name: 'list',
      summary: 'list your API keys, or with --email those of an account',
      examples: ['api-keys list', 'api-keys list --email ci@example.com --json'],
      input: (command) =>
        withDatabaseFlags(
          command.option('--email <address>', 'the account, on the machine of the server'),
        ),
      run: listKeys,
    },
    {
      name: 'create',
      summary: 'create an API key, for one team only with --team; prints it once',
      examples: [
        'api-keys create laptop',
        'api-keys create ci --scopes jobs,history --expires-in-days 90',
        'api-keys create claude-code --scopes models',
        'api-keys create --email ci@example.com    # on the machine of the server',
      ],
      input: (command) =>
        withDatabaseFlags(
          command
            .argument('[name]', 'what the key is for (default: default)')
            .option('--name <name>', 'the same as a flag')
            .option(
              '--scopes <list>',
              `what the key may do, separated by commas (default: all but admin and runner): ${SCOPES.join(', ')}; models is for the model endpoint`,
            )
            .option('--expires-in-days <number>', 'when the key expires (default: never)')
            .option(
              '--email <address>',
              'the account, on the machine of the server; made if it is new',
            )
            .addOption(
              new Option('--tier <tier>', 'the tier of the account, if it is new').choices([
                ...TIER_NAMES,
              ]),
            ),
        ),
      run: createKey,
    },
    {
      name: 'rotate',
      summary: 'replace one of your API keys; the old one keeps working for a while',
      examples: ['api-keys rotate key_01...', 'api-keys rotate key_01... --grace-hours 0'],
      input: (command) =>
        keyId(command).option(
          '--grace-hours <number>',
          'how long the old key keeps working, 0 to 168',
          '24',
        ),
      run: rotateKey,
    },
    {
      name: 'revoke',
      summary: 'revoke an API key, on every server within seconds',
      examples: [
        'api-keys revoke key_01...',
        'api-keys revoke key_01kd3mz8v4 --email ci@example.com',
      ],
      input: (command) =>
        withDatabaseFlags(
          keyId(command).option(
            '--email <address>',
            'the account that has it, on the machine of the server',
          ),
        ),
      run: revokeKey,
    },
  ],
};
