// Where the things are that the project does not install itself.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { NotInstalled } from '../harness/job-system.ts';

export function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** The node_modules of the folder that BENCH_RIVALS names, which has all of `packages`. */
export function rivalModules(packages: readonly string[]): string {
  const folder = process.env['BENCH_RIVALS'];
  const modules = folder === undefined ? undefined : join(folder, 'node_modules');
  if (modules !== undefined && packages.every((name) => existsSync(join(modules, name)))) {
    return modules;
  }
  throw new NotInstalled(
    `npm install ${packages.join(' ')} in a folder of its own, and set BENCH_RIVALS to that folder`,
  );
}
