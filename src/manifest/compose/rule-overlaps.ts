// Two streams that own one file run one after the other anyway. Written down as a dep, a person sees it and
// an edit elsewhere in the file does not turn the two around.
import { planStreams } from '../plan.ts';
import { remark } from './draft.ts';
import type { Draft, Remark } from './draft.ts';
import { settleDeps } from './settle-deps.ts';
import type { WantedDep } from './settle-deps.ts';

/** Expects deps without circles. */
export function ruleOverlaps(draft: Draft): Draft {
  const plan = planStreams(new Map(draft.streams.map((stream) => [stream.id, stream])));
  if (plan.kind === 'cyclic') return draft;
  let settled = settleDeps(draft.streams);
  const remarks: Remark[] = [];
  for (const { id, waitsFor } of plan.streams.values()) {
    for (const { id: dep, reason } of waitsFor) {
      if (reason === 'dep' || settled.waits(id, dep) || settled.waits(dep, id)) continue;
      const wanted: WantedDep = { stream: id, dep };
      settled = settleDeps(settled.streams, [wanted]);
      remarks.push(remark('overlaps', `waits for ${dep}: both write the same files`, id));
    }
  }
  return { ...draft, streams: settled.streams, remarks: [...draft.remarks, ...remarks] };
}
