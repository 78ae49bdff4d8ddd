// millrace models --update: a newer file of facts about the models of one provider, after a look at what it changes.
import { readFile } from 'node:fs/promises';
import { factsChanges } from '../../../domain/model/facts-changes.ts';
import { parseFacts } from '../../../domain/model/facts-schema.ts';
import type { ProviderFacts } from '../../../domain/model/facts-schema.ts';
import { knownFacts, readOn } from '../../../domain/model/model-facts.ts';
import { installFacts, useInstalledFacts } from '../../../providers/installed-facts.ts';
import { CommandError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { note, print } from '../../terminal/output.ts';
import { dataDirFor } from './models-folder.ts';

const MAX_BYTES = 4 * 1024 * 1024;
const FETCH_MS = 30_000;

const unusable = (from: string, why: string, hint: string) =>
  new CommandError({
    code: 'MODELS_FILE_INVALID',
    message: `${from} cannot be used: ${why}`,
    hint: `${hint} Nothing was changed.`,
  });

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > MAX_BYTES) throw new Error('it is larger than 4 MiB');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

async function readSource(from: string): Promise<ProviderFacts> {
  let text: string;
  try {
    text = await (/^https?:\/\//i.test(from) ? fetchText(from) : readFile(from, 'utf8'));
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    throw unusable(from, cause?.message ?? message, 'Give the path or the address of a file.');
  }
  try {
    return parseFacts(JSON.parse(text));
  } catch (error) {
    const hint = 'It must have the form of the files in src/domain/model/facts.';
    throw unusable(from, (error as Error).message, hint);
  }
}

export async function updateModels(options: CommandOptions, from: string): Promise<number> {
  const dataDir = dataDirFor(options);
  useInstalledFacts(dataDir);
  const facts = await readSource(from);
  // Read like the new one, so that fields in another order are no change.
  const before = parseFacts(knownFacts().find(({ provider }) => provider === facts.provider));
  if (readOn(facts) < readOn(before)) {
    const why = `it was looked up on ${readOn(facts) || 'no day'}, and what is known on ${readOn(before)}`;
    throw unusable(from, why, 'Get a newer one.');
  }
  const changes = factsChanges(before, facts, new Date());
  if (changes.length === 0) {
    note(`Nothing changes: this is what is known of the models of ${facts.provider}.`);
    return EXIT.ok;
  }
  if (!options['json']) for (const line of changes) print(line);
  const question = `Use this for all models of ${facts.provider}?`;
  if (!(await confirmed(options, question))) {
    note('Nothing was changed. Give --yes where nobody can be asked.');
    return EXIT.usage;
  }
  const path = await installFacts(dataDir, facts);
  if (options['json']) print(JSON.stringify({ provider: facts.provider, changes, path }));
  note(`Written to ${path}. A server uses it when it starts again.`);
  return EXIT.ok;
}
