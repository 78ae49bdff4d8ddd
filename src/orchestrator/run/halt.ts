// Failures that every stream would meet as well: the run stops where it is and can be gone on with.
import type { Asked } from './model-caller.ts';

export type HaltKind =
  | 'unreachable'
  | 'not_authorised'
  | 'limited'
  | 'budget'
  /** The server does not know the model, or has no key for its vendor. */
  | 'model'
  /** What was done cannot be written into the manifest. */
  | 'manifest'
  | 'broken';

export interface Halt {
  kind: HaltKind;
  reason: string;
}

function kindOf(code: string, status: number | undefined): HaltKind | undefined {
  if (code === 'UNREACHABLE' || (status !== undefined && status >= 500)) return 'unreachable';
  if (status === 401 || status === 403) return 'not_authorised';
  if (status === 402 || status === 429) return 'limited';
  if (code === 'UNKNOWN_MODEL' || code === 'NO_PROVIDER_KEY') return 'model';
  return undefined;
}

export function haltOf(asked: Asked): Halt | undefined {
  if (asked.kind === 'over_budget') {
    const [needed, spent] = [asked.neededUsd, asked.spentUsd].map((usd) => `$${usd.toFixed(4)}`);
    const reason = `the next call could cost ${needed}, more than is left; ${spent} is spent`;
    return { kind: 'budget', reason };
  }
  if (asked.kind !== 'failed') return undefined;
  const kind = kindOf(asked.code, asked.status);
  return kind && { kind, reason: reasonOf(asked.code, asked.error) };
}

/** The service speaks of its routes; here there are commands. */
function reasonOf(code: string, error: string): string {
  const provider = /no key for ([a-z]+)/.exec(error)?.[1];
  if (code !== 'NO_PROVIDER_KEY' || provider === undefined) return error;
  return `the server has no key for ${provider}; store yours with "millrace keys add ${provider}"`;
}
