// Facts about models that an operator has installed (`millrace models --update`): in the data folder, a file a provider.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseFacts } from '../domain/model/facts-schema.ts';
import type { ProviderFacts } from '../domain/model/facts-schema.ts';
import { useFacts } from '../domain/model/model-facts.ts';
import { PUBLIC_PROVIDERS } from '../domain/model/model-routing.ts';
import { makeFolder } from '../platform/make-folder.ts';
import { writeWholeFile } from '../platform/whole-file.ts';
import { PriceFileError } from './price-file-error.ts';

const fileOf = (dataDir: string, provider: string) => join(dataDir, 'models', `${provider}.json`);

function readFacts(path: string): ProviderFacts {
  try {
    return parseFacts(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new PriceFileError(path, (error as Error).message);
  }
}

/** When a process starts that has to do with models. */
export function useInstalledFacts(dataDir: string): void {
  const files = PUBLIC_PROVIDERS.map((provider) => fileOf(dataDir, provider));
  useFacts(files.filter((file) => existsSync(file)).map(readFacts));
}

/** Returns where it is. */
export async function installFacts(dataDir: string, facts: ProviderFacts): Promise<string> {
  const path = fileOf(dataDir, facts.provider);
  makeFolder(join(dataDir, 'models'), 0o700);
  await writeWholeFile(path, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  return path;
}
