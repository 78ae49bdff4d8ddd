// A stream that reads what another one writes has to see it written. Where two read each other's files, the
// one that comes first in the plan waits: a circle would let neither start.
import { remark } from './draft.ts';
import type { Draft } from './draft.ts';
import { indexOwners } from './owners.ts';
import type { Repository } from './repository.ts';
import { settleDeps } from './settle-deps.ts';

export function ruleDeps(draft: Draft, repository: Repository): Draft {
  const owners = indexOwners(draft.streams, repository);
  const before = settleDeps(draft.streams);
  const wanted = draft.streams.flatMap(({ id, reads }) => {
    const found = reads.flatMap((read) => owners.of(read).map(({ stream }) => ({ stream, read })));
    const first = new Map(found.toReversed().map(({ stream, read }) => [stream, read]));
    first.delete(id);
    return [...first].map(([dep, read]) => ({ stream: id, dep, read }));
  });
  const { streams } = settleDeps(draft.streams, wanted);
  const deps = new Map(streams.map((stream) => [stream.id, stream.deps]));
  const remarks = wanted
    .filter(({ stream, dep }) => !before.waits(stream, dep) && deps.get(stream)!.includes(dep))
    .map(({ stream, dep, read }) => remark('deps', `waits for ${dep}: it reads ${read}`, stream));
  return { ...draft, streams, remarks: [...draft.remarks, ...remarks] };
}
