// What Millrace keeps in a project while it works does not belong into version control.
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ENTRY = '.millrace/';
const SAME = /^\/?\.millrace\/?(\*{1,2})?$/;

/** True when the line was added. */
export async function ignoreStateFolder(gitRoot: string): Promise<boolean> {
  const path = join(gitRoot, '.gitignore');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (text.split(/\r?\n/).some((line) => SAME.test(line.trim()))) return false;
  await appendFile(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}${ENTRY}\n`);
  return true;
}
