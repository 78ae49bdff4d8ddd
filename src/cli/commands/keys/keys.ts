// millrace keys list | add | test | rm
import { createInterface } from 'node:readline/promises';
import { text as readAll } from 'node:stream/consumers';
import { ConfigError } from '../../../config.ts';
import { EXIT } from '../../exit-codes.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { readHidden } from '../../terminal/hidden-prompt.ts';
import { note, print } from '../../terminal/output.ts';
import type { CommandOptions } from '../../command.ts';
import { clientOf } from '../../remote.ts';

const TERMS =
  'The key is stored encrypted on the server and used to call the provider in your name, at your cost.';

export async function listKeys(options: CommandOptions): Promise<number> {
  const { keys } = await clientOf(options).listProviderKeys();
  if (options['json']) print(JSON.stringify({ keys }));
  for (const key of options['json'] ? [] : keys) {
    print(`${key.provider.padEnd(12)} ${key.maskedKey.padEnd(20)} stored ${key.createdAt}`);
  }
  if (keys.length === 0 && !options['json']) note('No provider keys are stored.');
  return EXIT.ok;
}

async function askForTerms(): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question(`${TERMS}\nStore it? [y/N] `);
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** From a hidden prompt, or from standard input: never from an argument, which others can see. */
async function readKey(provider: string): Promise<string> {
  if (process.stdin.isTTY) return readHidden(`Key for ${provider}: `);
  return (await readAll(process.stdin)).trim();
}

export async function addKey(options: CommandOptions, args: string[]): Promise<number> {
  const client = clientOf(options);
  const provider = args[0] ?? '';
  const accepted = options['acceptTerms'] || options['yes'];
  if (process.stdin.isTTY && !mayAsk(options, process.env)) {
    throw new ConfigError(['The key cannot be asked for: give it on standard input']);
  }
  if (!process.stdin.isTTY && !accepted) {
    throw new ConfigError([
      `--accept-terms is needed when the key comes from standard input. ${TERMS}`,
    ]);
  }
  const key = await readKey(provider);
  if (key === '') throw new ConfigError(['No key was given']);
  if (!accepted && !(await askForTerms())) {
    note('Nothing was stored.');
    return EXIT.failed;
  }
  const stored = await client.storeProviderKey({ provider, key, tosAccepted: true });
  if (options['json']) print(JSON.stringify(stored));
  else if (stored.valid) print(`Stored ${stored.maskedKey} for ${stored.provider}; the key works.`);
  else
    print(
      `Stored ${stored.maskedKey} for ${stored.provider}; it will be checked at its first use.`,
    );
  return EXIT.ok;
}

export async function testKey(options: CommandOptions, args: string[]): Promise<number> {
  const tested = await clientOf(options).testProviderKey(args[0] ?? '');
  if (options['json']) print(JSON.stringify(tested));
  else if (tested.reason === undefined) print(`The key for ${tested.provider} works.`);
  else print(`The key for ${tested.provider}: ${tested.reason}`);
  return tested.valid ? EXIT.ok : EXIT.failed;
}

export async function removeKey(options: CommandOptions, args: string[]): Promise<number> {
  const answer = await clientOf(options).deleteProviderKey(args[0] ?? '');
  if (options['json']) print(JSON.stringify(answer));
  else
    print(
      answer.deleted ? `Deleted the key for ${answer.provider}.` : 'There was no key to delete.',
    );
  return EXIT.ok;
}
