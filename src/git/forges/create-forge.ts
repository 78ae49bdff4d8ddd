// Which forge a remote is on, and where its API is.
import type { RemotePlace } from '../remote.ts';
import type { ForgeApiOptions } from './forge-api.ts';
import type { Forge, ForgeKind } from './forge.ts';
import { createGithub } from './github.ts';
import { createGitlab } from './gitlab.ts';

/** What a person says of a host of their own. */
export interface KnownForge {
  kind: ForgeKind;
  /** Of its API; by the kind where it is left out. */
  api?: string | undefined;
}

export interface ForgePlace extends RemotePlace {
  kind: ForgeKind;
  api: string;
}

function kindByName(host: string): ForgeKind | undefined {
  const name = host.replace(/:\d+$/, '');
  if (name === 'github.com' || /(^|\.)github\./.test(name)) return 'github';
  if (name === 'gitlab.com' || /(^|\.)gitlab\./.test(name)) return 'gitlab';
  return undefined;
}

function apiOf(kind: ForgeKind, host: string): string {
  if (host === 'github.com') return 'https://api.github.com';
  return kind === 'github' ? `https://${host}/api/v3` : `https://${host}/api/v4`;
}

/** Undefined for a host of which nobody has said what it is. */
export function forgeOf(
  place: RemotePlace,
  known: Readonly<Record<string, KnownForge>>,
): ForgePlace | undefined {
  const said = Object.hasOwn(known, place.host) ? known[place.host] : undefined;
  const kind = said?.kind ?? kindByName(place.host);
  if (kind === undefined) return undefined;
  const api = (said?.api ?? apiOf(kind, place.host)).replace(/\/$/, '');
  return { ...place, kind, api };
}

/** Where the person keeps a token for it, in the order in which they are looked at. */
export const TOKEN_VARIABLES: Readonly<Record<ForgeKind, readonly string[]>> = {
  github: ['GH_TOKEN', 'GITHUB_TOKEN'],
  gitlab: ['GITLAB_TOKEN'],
};

export function createForge(
  { kind, api, path }: ForgePlace,
  token: string,
  options: Omit<ForgeApiOptions, 'headers' | 'url' | 'tokenHint'>,
): Forge {
  const names = TOKEN_VARIABLES[kind].join(' or ');
  const all = { ...options, url: api, tokenHint: `Set another one in ${names}.` };
  return kind === 'github'
    ? createGithub({ path, token }, all)
    : createGitlab({ path, token }, all);
}
