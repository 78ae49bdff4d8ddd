// Streams that mostly wait for each other cost more than they save: every one is shown the project anew. With
// no parallel gain the plan becomes one stream. Judged before streams are split by size, with the deps that imports add
// later: a second run of the rules has them, and must judge alike.
import { findWaves, toGraph } from '../graph.ts';
import { joinStreams, remark } from './draft.ts';
import type { Draft, RuleName } from './draft.ts';
import type { Repository } from './repository.ts';
import { ruleDeps } from './rule-deps.ts';
import { ruleReads } from './rule-reads.ts';
import { unitOf, unitsOf } from './units.ts';

/** A critical path over this share of all the work is no gain. */
const NO_GAIN = 0.8;

/** How streams were put in order says nothing once there is only one. */
const BETWEEN_STREAMS: ReadonlySet<RuleName> = new Set(['hubs', 'cycles', 'overlaps', 'joins']);

interface Work {
  sumMs: number;
  criticalMs: number;
}

/** Undefined when it is not known of every unit how long it takes: a guess must not undo a plan. */
function measure(draft: Draft, repository: Repository): Work | undefined {
  const units = unitsOf(draft.streams);
  const numbers = new Map(units.map(({ id }, at) => [id, at]));
  const edges = draft.streams.flatMap(({ id, deps }) =>
    deps
      .map((dep) => ({ from: numbers.get(unitOf(dep))!, to: numbers.get(unitOf(id))! }))
      .filter(({ from, to }) => from !== to),
  );
  const took: number[] = [];
  for (const { owns } of units) {
    const estimate = repository.estimateMs([...owns].sort());
    if (estimate === undefined) return undefined;
    took.push(Math.max(0, estimate));
  }
  const before = units.map((): number[] => []);
  for (const { from, to } of edges) before[to]!.push(from);
  const ends = new Float64Array(units.length);
  for (const node of findWaves(toGraph(units.length, edges)).order) {
    const start = before[node]!.reduce((latest, each) => Math.max(latest, ends[each]!), 0);
    ends[node] = start + took[node]!;
  }
  return { sumMs: took.reduce((sum, each) => sum + each, 0), criticalMs: Math.max(...ends) };
}

export function ruleGain(draft: Draft, repository: Repository): Draft {
  const units = unitsOf(draft.streams);
  if (units.length < 2) return draft;
  const foreseen = ruleDeps(ruleReads(draft, repository), repository);
  const work = measure(foreseen, repository);
  if (work === undefined) return draft;
  const share = work.criticalMs / work.sumMs;
  if (!(share > NO_GAIN)) return draft;
  // A stream that only serves others is not what the work is about.
  const main = draft.streams.find(({ pieces }) => pieces.length > 0) ?? draft.streams[0]!;
  const members = new Set(draft.streams.map(({ id }) => id));
  const id = unitOf(main.id);
  const joined = joinStreams(draft, members, { target: main.id, id, name: draft.feature });
  const percent = Math.round(share * 100);
  const text = `one stream instead of ${units.length}: run in parallel they would still take ${percent} % of the time`;
  const remarks = joined.remarks.filter(({ rule }) => !BETWEEN_STREAMS.has(rule));
  return { ...joined, remarks: [...remarks, remark('gain', text, id)] };
}
