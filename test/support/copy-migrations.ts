import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fromRoot } from '../pins/tree.ts';

/** The migrations up to a version, in a folder of their own. */
export async function copyMigrations(folder: string, version = Infinity): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = await readdir(fromRoot('sql'));
  for (const name of names.filter((each) => Number(each.slice(0, 4)) <= version)) {
    await copyFile(join(fromRoot('sql'), name), join(folder, name));
  }
}
