// Values marked with `&name`, and what `*name` stands for. Aliases are shared, never copied, but
// counted as if they were: what comes after looks at each of them.
import type { ManifestLimits } from './limits.ts';
import { recursiveAlias, tooManyAliases, tooMuchAliased, unknownAlias } from './build-findings.ts';
import type { Finding } from './problem-list.ts';
import type { Value } from './values.ts';

export interface Anchor {
  value: Value;
  /** Values in it, itself included. */
  nodes: number;
  /** Its mapping or list is not read to the end yet. */
  isOpen: boolean;
}

export type AliasedValue =
  | { kind: 'value'; anchor: Anchor }
  | { kind: 'problem'; finding: Finding }
  /** Nothing more is read. */
  | { kind: 'limit'; finding: Finding };

export interface Anchors {
  keep(name: string, anchor: Anchor): void;
  resolve(name: string, offset: number): AliasedValue;
}

export function createAnchors({ maxAliases, maxAliasedNodes }: ManifestLimits): Anchors {
  const anchors = new Map<string, Anchor>();
  let aliases = 0;
  let nodes = 0;
  return {
    keep(name, anchor) {
      anchors.set(name, anchor);
    },
    resolve(name, offset) {
      aliases += 1;
      if (aliases > maxAliases)
        return { kind: 'limit', finding: tooManyAliases(maxAliases, offset) };
      const anchor = anchors.get(name);
      if (anchor === undefined) return { kind: 'problem', finding: unknownAlias(name, offset) };
      if (anchor.isOpen) return { kind: 'problem', finding: recursiveAlias(name, offset) };
      nodes += anchor.nodes;
      if (nodes > maxAliasedNodes) {
        return { kind: 'limit', finding: tooMuchAliased(maxAliasedNodes, offset) };
      }
      return { kind: 'value', anchor };
    },
  };
}
