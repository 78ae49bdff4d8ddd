// Where the login of a person's subscription is. Only whether there is one is looked at here.
import { realpathSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import type { OwnLogin } from '../agent-program.ts';
import type { LoginFacts } from '../known/known-agents.ts';
import { readLogin } from './read-login.ts';

export type FoundLogin = { kind: 'found'; login: OwnLogin } | { kind: 'missing'; file: string };

export function findLogin(
  { file: inside, variable, proof, withheld, hosts }: LoginFacts,
  env: NodeJS.ProcessEnv,
  home: string,
): FoundLogin {
  const folder = variable === undefined ? undefined : env[variable];
  const file = folder && isAbsolute(folder) ? join(folder, basename(inside)) : join(home, inside);
  try {
    // The person may keep it elsewhere and have a link here.
    const real = realpathSync.native(file);
    const value = readLogin(real)?.fields[proof];
    if (value !== undefined && value !== null && value !== '')
      return { kind: 'found', login: { file: real, inside, withheld, hosts } };
  } catch {
    // It is not there.
  }
  return { kind: 'missing', file };
}
