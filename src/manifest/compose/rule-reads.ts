// A stream that does not see what its files use guesses it. It reads what its files import: all that other
// streams change, and of the rest what most of its files use, up to the number that still fits well.
import { MANY_READS } from '../model.ts';
import { remark, shortList } from './draft.ts';
import type { Draft, DraftStream, Remark } from './draft.ts';
import { indexOwners, isWide } from './owners.ts';
import type { Owners } from './owners.ts';
import type { Repository } from './repository.ts';

/** Imported by its files and not its own, what most of them use first. */
function importedBy(stream: DraftStream, owners: Owners, repository: Repository): string[] {
  const counts = new Map<string, number>();
  for (const file of new Set(stream.owns.flatMap((entry) => repository.filesOf(entry)))) {
    for (const imported of repository.importsOf(file)) {
      counts.set(imported, (counts.get(imported) ?? 0) + 1);
    }
  }
  return [...counts]
    .filter(([path]) => isReadable(path, repository) && !isOwn(path, stream, owners))
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .map(([path]) => path);
}

function isReadable(path: string, repository: Repository): boolean {
  return repository.hasFile(path) && repository.refusalOf(path) === undefined;
}

const isOwn = (entry: string, { id }: DraftStream, owners: Owners) =>
  owners.of(entry).some(({ stream }) => stream === id);

const isOfOthers = (entry: string, { id }: DraftStream, owners: Owners) =>
  owners.of(entry).some(({ stream }) => stream !== id);

export function ruleReads(draft: Draft, repository: Repository): Draft {
  const owners = indexOwners(draft.streams, repository);
  const remarks: Remark[] = [];
  const streams = draft.streams.map((stream): DraftStream => {
    const imported = importedBy(stream, owners, repository);
    const proposed = stream.reads.filter(
      (read) => isWide(read, repository) || !isOwn(read, stream, owners),
    );
    const all = [...new Set([...proposed, ...imported])];
    const needed = new Set(all.filter((entry) => isOfOthers(entry, stream, owners)));
    let room = Math.max(0, MANY_READS - needed.size);
    const reads = all.filter((entry) => needed.has(entry) || room-- > 0);
    const left = proposed.filter((read) => !reads.includes(read));
    if (left.length > 0) {
      const text = `does not read ${shortList(left)}: with more than ${MANY_READS}, a timeout is likely`;
      remarks.push(remark('reads', text, stream.id));
    }
    return { ...stream, reads };
  });
  return { ...draft, streams, remarks: [...draft.remarks, ...remarks] };
}
