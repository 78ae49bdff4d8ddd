// What `login` stores: one entry for each server, in a file that only its owner can read.
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeWholeFile } from '../../platform/whole-file.ts';
import { credentialsPath, readCredentials } from './settings-files.ts';
import type { Credentials, SignIn } from './settings-files.ts';
import { makeFolder, withFolder } from '../../platform/make-folder.ts';

/** However the address was written. */
export function serverName(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/(?<!\/)\/+$/, '');
}

export function findSignIn(stored: Credentials | undefined, url: string): SignIn | undefined {
  const { servers = {} } = stored ?? {};
  const name = serverName(url);
  return Object.hasOwn(servers, name) ? servers[name] : undefined;
}

/** A file that is a link, as some keep theirs elsewhere, stays one. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

async function change(env: NodeJS.ProcessEnv, edit: (before: Credentials) => Credentials) {
  const before = readCredentials(env)?.values ?? { profiles: {}, servers: {} };
  const { profiles, servers, currentServer } = edit(before);
  const after = {
    ...(Object.keys(profiles).length > 0 ? { profiles } : {}),
    ...(Object.keys(servers).length > 0 ? { servers } : {}),
    ...(currentServer === undefined ? {} : { currentServer }),
  };
  const path = credentialsPath(env);
  const folder = dirname(path);
  withFolder({ path: folder, setting: 'XDG_CONFIG_HOME' }, () => makeFolder(folder, 0o700));
  await writeWholeFile(realPath(path), `${JSON.stringify(after, undefined, 2)}\n`, { mode: 0o600 });
  return path;
}

/** Returns where it is stored. Commands use this server from now on, unless another one is named. */
export function saveSignIn(env: NodeJS.ProcessEnv, url: string, signIn: SignIn): Promise<string> {
  const name = serverName(url);
  return change(env, (before) => ({
    ...before,
    servers: { ...before.servers, [name]: signIn },
    currentServer: name,
  }));
}

export async function deleteSignIn(env: NodeJS.ProcessEnv, url: string): Promise<void> {
  const name = serverName(url);
  await change(env, ({ profiles, servers, currentServer }) => {
    const { [name]: _, ...others } = servers;
    const isCurrent = currentServer === name || currentServer === undefined;
    return { profiles, servers: others, ...(isCurrent ? {} : { currentServer }) };
  });
}
