// A person's login for one task of an agent: a private copy in the home inside, without keys that would be charged. What the
// agent refreshed there goes back to the person's file when nothing of the agent runs any more; a login that was
// refreshed and lost would sign the person out.
import { randomUUID } from 'node:crypto';
import { lstatSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { makeFolder } from '../../platform/make-folder.ts';
import { writeWholeFile } from '../../platform/whole-file.ts';
import { removeTree } from '../../sandbox/copy/remove-tree.ts';
import type { PrivateHome } from '../../sandbox/sandbox.ts';
import type { OwnLogin } from '../agent-program.ts';
import { isRefreshOf, readLogin } from './read-login.ts';
import type { LoginFields } from './read-login.ts';

export interface LoginCopy {
  /** What a person should know of how it ended, and what of the login must not outlive the task. */
  close(): Promise<{ about?: string; secrets: readonly string[] }>;
}

const without = (fields: LoginFields, names: readonly string[]): LoginFields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

const SECRET = /token|secret|key/i;

function secretsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    typeof each === 'string' && each !== '' && SECRET.test(name) ? [each] : secretsIn(each),
  );
}

/** The home may be that of an earlier task: what is in the way of the file could lead out of it. */
function clearWay(home: string, inside: string): void {
  const steps = inside.split(sep);
  const paths = steps.map((_, at) => join(home, ...steps.slice(0, at + 1)));
  const isKept = (path: string) =>
    path !== paths.at(-1) && lstatSync(path, { throwIfNoEntry: false })?.isDirectory();
  for (const path of paths) {
    if (isKept(path)) continue;
    removeTree(path);
    return;
  }
}

/** Undefined where the file is no login any more. */
export function openLoginCopy(
  { file, inside, withheld }: OwnLogin,
  home: PrivateHome,
): LoginCopy | undefined {
  const original = readLogin(file);
  if (original === undefined) return undefined;
  const given = without(original.fields, withheld);
  const copy = join(home.path, inside);
  clearWay(home.path, inside);
  makeFolder(dirname(copy), 0o700);
  writeFileSync(copy, JSON.stringify(given), { mode: 0o600, flag: 'wx' });

  async function bringBack(): Promise<string | undefined> {
    const left = `${file} was left as it is. If the agent cannot sign in the next time, sign in again.`;
    // The folder may be a link to another one by now.
    const next = isInPlace() ? readLogin(copy) : undefined;
    if (next === undefined || !isRefreshOf(next.fields, given))
      return `What the agent made of its login is no refreshed login; ${left}`;
    const { fields } = next;
    if (JSON.stringify(fields) === JSON.stringify(given)) return undefined;
    const isUntouched = () => readLogin(file)?.text === original!.text;
    const meanwhile = `The agent refreshed its login, and yours has changed meanwhile; ${left}`;
    if (!isUntouched()) return meanwhile;
    // In the order of the person's file, with what was left out.
    const text = JSON.stringify({ ...original!.fields, ...fields }, null, 2);
    const { mode } = statSync(file);
    // Two agents may refresh it at once.
    const draft = `${file}.${randomUUID()}.tmp`;
    class Changed extends Error {}
    try {
      await writeWholeFile(file, `${text}\n`, {
        mode,
        draft,
        async beforeReplacing() {
          if (!isUntouched()) throw new Changed();
        },
      });
      return undefined;
    } catch (error) {
      if (error instanceof Changed) return meanwhile;
      return `The agent refreshed its login, and it could not be written; ${left}`;
    }
  }
  const isInPlace = () => {
    try {
      return (
        realpathSync.native(dirname(copy)) === join(realpathSync.native(home.path), dirname(inside))
      );
    } catch {
      return false;
    }
  };

  return {
    async close() {
      const next = isInPlace() ? readLogin(copy) : undefined;
      const secrets = [original, next].flatMap((login) => secretsIn(login?.fields));
      try {
        const about = await bringBack();
        return { secrets: [...new Set(secrets)], ...(about !== undefined && { about }) };
      } finally {
        // Elsewhere it is not ours.
        if (isInPlace()) removeTree(copy);
      }
    },
  };
}
