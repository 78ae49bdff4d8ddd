// The schema of manifests for editors. It has to be there for everyone who opens the manifest, also
// offline and without Millrace: the package's own file where the project depends on it, else a copy
// beside the manifest that is committed with it.
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { MANIFEST_SCHEMAS } from '../../../../manifest/schema/files.ts';

export const SCHEMA_FILE = 'millrace.schema.json';
const PACKAGED = join('node_modules', 'millrace', 'schemas', 'manifest.json');

export interface SchemaPlace {
  /** As the manifest names it: relative to the manifest itself. */
  name: string;
  /** Where a copy has to be written; undefined where the schema is there with the package. */
  copy: string | undefined;
}

function dependsOnMillrace(folder: string): boolean {
  try {
    const text = readFileSync(join(folder, 'package.json'), 'utf8');
    const { dependencies = {}, devDependencies = {} } = JSON.parse(text) as Record<string, object>;
    return 'millrace' in { ...dependencies, ...devDependencies };
  } catch {
    return false;
  }
}

export function placeSchema(folder: string, manifest: string): SchemaPlace {
  const beside = dirname(join(folder, manifest));
  if (dependsOnMillrace(folder) && existsSync(join(folder, PACKAGED))) {
    const name = relative(beside, join(folder, PACKAGED)).split(sep).join('/');
    return { name: name.startsWith('.') ? name : `./${name}`, copy: undefined };
  }
  return { name: `./${SCHEMA_FILE}`, copy: join(beside, SCHEMA_FILE) };
}

/** True when it was written: it is not there, or of another version. */
export async function writeSchema(copy: string): Promise<boolean> {
  const text = `${JSON.stringify(MANIFEST_SCHEMAS['manifest.json']!(), null, 2)}\n`;
  if (existsSync(copy) && readFileSync(copy, 'utf8') === text) return false;
  // Not into whatever a link of this name leads to.
  await rm(copy, { force: true });
  await writeFile(copy, text, { flag: 'wx' });
  return true;
}
