// millrace keys: your own provider keys on a server.
import type { Command } from 'commander';
import type { ProviderKey } from '../../../contract/keys-api.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import type { Resource } from '../../resource.ts';
import { showList } from '../../show-list.ts';
import { showOutcome } from '../../show-outcome.ts';
import { localTime } from '../../terminal/local-time.ts';
import { plain } from '../../terminal/plain-text.ts';
import { addKey } from './add.ts';
import { providerArgument, sharedFlag, sharedOwner } from './provider-argument.ts';

const providerKey = (command: Command) =>
  command.addArgument(providerArgument()).addOption(sharedFlag());

const OWNER = { head: 'OWNER', text: ({ owner }: ProviderKey) => owner ?? 'you' };

async function listKeys(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  const { keys } = await client.listProviderKeys();
  return showList<ProviderKey>(options, {
    document: { keys },
    rows: keys,
    columns: [
      { head: 'PROVIDER', text: ({ provider }) => provider },
      { head: 'KEY', text: ({ maskedKey }) => maskedKey },
      ...(keys.some(({ owner }) => owner) ? [OWNER] : []),
      { head: 'ADDED', text: ({ createdAt }) => localTime(createdAt) },
    ],
    empty: `No provider keys. Add one with: ${commandLine('keys', 'add', 'anthropic')}`,
  });
}

async function testKey(options: CommandOptions, [provider = '']: string[]): Promise<number> {
  const client = await openClient(options);
  const tested = await client.testProviderKey(provider, sharedOwner(options));
  return showOutcome(options, {
    document: tested,
    text:
      tested.reason === undefined
        ? `The key for ${tested.provider} works.`
        : `The key for ${tested.provider} could not be used: ${plain(tested.reason)}`,
    exit: tested.valid ? EXIT.ok : EXIT.failed,
  });
}

async function removeKey(options: CommandOptions, [provider = '']: string[]): Promise<number> {
  const client = await openClient(options);
  const answer = await client.deleteProviderKey(provider, sharedOwner(options));
  return showOutcome(options, {
    document: answer,
    text: answer.deleted
      ? `Deleted the key for ${answer.provider}.`
      : `No key for ${answer.provider}; nothing to delete.`,
  });
}

export const KEYS: Resource = {
  noun: 'keys',
  summary: 'manage your provider keys',
  examples: ['keys add anthropic', 'keys list'],
  actions: [
    {
      name: 'list',
      summary: 'list your provider keys and those of the team, masked',
      examples: ['keys list', 'keys list --json'],
      run: listKeys,
    },
    {
      name: 'add',
      summary: 'add a provider key; asks for it without showing it, or reads standard input',
      examples: [
        'keys add anthropic',
        'keys add openai --accept-terms < key.txt',
        'keys add anthropic --shared --team platform',
      ],
      input: (command) =>
        providerKey(command).option(
          '--accept-terms',
          'do not ask: the server calls the provider on your behalf',
        ),
      run: addKey,
    },
    {
      name: 'test',
      summary: 'test a provider key',
      examples: ['keys test anthropic'],
      input: providerKey,
      run: testKey,
    },
    {
      name: 'rm',
      summary: 'delete a provider key',
      examples: ['keys rm anthropic'],
      input: providerKey,
      run: removeKey,
    },
  ],
};
