// What a URI of a resource names. It is compared as it is written: nothing is decoded, and there is no
// path in it that could lead anywhere.
import { EXECUTION_ID_PATTERN } from '../../contract/fields.ts';

export type Address =
  | { kind: 'manifest' | 'plan' | 'run' | 'diff' }
  | { kind: 'execution'; id: string }
  | { kind: 'planManifest'; id: string }
  | { kind: 'artifact'; id: string; index: number };

export interface Asked {
  address: Address;
  /** Without the query. */
  uri: string;
  /** Where the wanted page begins, in characters. */
  from: number;
}

export const URIS = {
  manifest: 'millrace://project/manifest',
  plan: 'millrace://project/plan',
  run: 'millrace://runs/latest',
  diff: 'millrace://runs/latest/diff',
} as const;
const EXECUTIONS = 'millrace://executions/';

export const executionUri = (id: string): string => `${EXECUTIONS}${id}`;
export const artifactUri = (id: string, index: number | string): string =>
  `${executionUri(id)}/artifacts/${index}`;
export const planManifestUri = (id: string): string => `${executionUri(id)}/manifest`;
export const pageUri = (uri: string, from: number): string => `${uri}?from=${from}`;

const NUMBER = /^(0|[1-9]\d{0,8})$/;

function addressOf(uri: string): Address | undefined {
  const fixed = (Object.keys(URIS) as (keyof typeof URIS)[]).find((kind) => URIS[kind] === uri);
  if (fixed !== undefined) return { kind: fixed };
  if (!uri.startsWith(EXECUTIONS)) return undefined;
  const [id = '', part, index, ...more] = uri.slice(EXECUTIONS.length).split('/');
  if (id !== 'latest' && !EXECUTION_ID_PATTERN.test(id)) return undefined;
  if (part === undefined) return { kind: 'execution', id };
  if (part === 'manifest' && index === undefined) return { kind: 'planManifest', id };
  if (part !== 'artifacts' || index === undefined || !NUMBER.test(index)) return undefined;
  if (more.length > 0) return undefined;
  return { kind: 'artifact', id, index: Number(index) };
}

export function readUri(text: string): Asked | undefined {
  const [uri = '', query, ...more] = text.split('?');
  const [name, from = '', ...others] = query === undefined ? ['from', '0'] : query.split('=');
  const isPage = name === 'from' && NUMBER.test(from) && more.length + others.length === 0;
  const address = addressOf(uri);
  return isPage && address !== undefined ? { address, uri, from: Number(from) } : undefined;
}
