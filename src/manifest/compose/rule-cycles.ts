// Streams that wait for each other in a circle never start. Deps are taken in the order of the plan; one that
// closes a circle is dropped, so the same proposal always loses the same deps.
import { remark } from './draft.ts';
import type { Draft } from './draft.ts';
import { settleDeps } from './settle-deps.ts';

export function ruleCycles(draft: Draft): Draft {
  const { streams, dropped } = settleDeps(draft.streams);
  const remarks = dropped.map(({ stream, dep }) =>
    remark('cycles', `dropped the dep ${dep}: the two would wait for each other`, stream),
  );
  return { ...draft, streams, remarks: [...draft.remarks, ...remarks] };
}
