// From a proposal to a plan that can be trusted: the rules in their order, until they change nothing. Server,
// command line and dashboard compose with this, so their plans cannot differ.
import { draftOf, oneText } from './draft.ts';
import type { Draft, DraftStream, Remark, Rule } from './draft.ts';
import type { Proposal, ProposedStream } from './proposal.ts';
import type { Repository } from './repository.ts';
import { ruleCycles } from './rule-cycles.ts';
import { ruleDeps } from './rule-deps.ts';
import { ruleGain } from './rule-gain.ts';
import { ruleHubs } from './rule-hubs.ts';
import { ruleIds } from './rule-ids.ts';
import { ruleJoins } from './rule-joins.ts';
import { ruleOverlaps } from './rule-overlaps.ts';
import { rulePaths } from './rule-paths.ts';
import { ruleReads } from './rule-reads.ts';
import { ruleSpellings } from './rule-spellings.ts';
import { ruleSplit } from './rule-split.ts';
import { ruleVerify } from './rule-verify.ts';
import { writePlans } from './write-plans.ts';

export interface ComposedStream extends ProposedStream {
  id: string;
}

/** A proposal that the rules have nothing to say about, with what they said about it before. */
export interface ComposedPlan {
  feature: string;
  streams: ComposedStream[];
  remarks: Remark[];
}

export type Composed =
  | { kind: 'composed'; plan: ComposedPlan }
  /** No stream has a file left that it may write. */
  | { kind: 'unusable'; remarks: Remark[] };

const RULES: readonly Rule[] = [
  ruleIds,
  rulePaths,
  ruleSpellings,
  ruleHubs,
  ruleCycles,
  ruleOverlaps,
  ruleJoins,
  ruleGain,
  writePlans,
  ruleSplit,
  ruleReads,
  ruleDeps,
  ruleVerify,
];

/** One more is enough to see that nothing changes; the rest is room for what nobody thought of. */
const MAX_ROUNDS = 8;

const streamsAsText = ({ streams }: Draft) => JSON.stringify(streams.map(composed));

export function compose(proposal: Proposal, repository: Repository): Composed {
  let draft = draftOf(proposal, repository);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = streamsAsText(draft);
    for (const rule of RULES) draft = rule(draft, repository);
    if (streamsAsText(draft) === before) break;
  }
  const { feature, remarks } = draft;
  if (draft.streams.length === 0) return { kind: 'unusable', remarks };
  return { kind: 'composed', plan: { feature, streams: draft.streams.map(composed), remarks } };
}

function composed(stream: DraftStream): ComposedStream {
  const { id, name, owns, reads, deps, setup, verify } = stream;
  const plan = oneText(stream.pieces.map(({ text }) => text));
  return { id, name, plan, owns, reads, deps, setup, verify };
}
