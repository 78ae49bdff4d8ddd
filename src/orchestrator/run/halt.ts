// Failures that every stream would meet as well: the run stops where it is and can be gone on with.
import type { Asked } from './ask-model.ts';

export type HaltKind = 'unreachable' | 'not_authorised' | 'limited' | 'budget' | 'broken';

export interface Halt {
  kind: HaltKind;
  reason: string;
}

function kindOf(code: string, status: number | undefined): HaltKind | undefined {
  if (code === 'UNREACHABLE' || (status !== undefined && status >= 500)) return 'unreachable';
  if (status === 401 || status === 403) return 'not_authorised';
  if (status === 402 || status === 429) return 'limited';
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
  return kind && { kind, reason: asked.error };
}
