// A stream that does not see what its files use guesses it. It reads what its files import: all that other
// streams change, and of the rest what most of its files use, up to the number that still fits well.
import { MANY_READS } from '../model.ts';
import { remark } from './draft.ts';
import type { Draft, DraftStream, Remark } from './draft.ts';
import { indexOwners, isWide } from './owners.ts';
import type { Repository } from './repository.ts';

/** Which streams have a file or an entry as their own. */
interface Ownership {
  isOwn(entry: string, stream: DraftStream): boolean;
  isOfOthers(entry: string, stream: DraftStream): boolean;
  filesOf(stream: DraftStream): ReadonlySet<string>;
}

/** Files of the project are looked up: a stream may import thousands, and own them by patterns. */
function indexOwnership(streams: readonly DraftStream[], repository: Repository): Ownership {
  const owners = indexOwners(streams, repository);
  const files = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const { id, owns } of streams) {
    const theirs = new Set(owns.flatMap((entry) => repository.filesOf(entry)));
    files.set(id, theirs);
    for (const file of theirs) counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  return {
    filesOf: ({ id }) => files.get(id)!,
    isOwn(entry, { id }) {
      if (repository.hasFile(entry)) return files.get(id)!.has(entry);
      return owners.of(entry).some(({ stream }) => stream === id);
    },
    isOfOthers(entry, { id }) {
      if (repository.hasFile(entry)) {
        return (counts.get(entry) ?? 0) > (files.get(id)!.has(entry) ? 1 : 0);
      }
      return owners.of(entry).some(({ stream }) => stream !== id);
    },
  };
}

/** Imported by its files and not its own, what most of them use first. */
function importedBy(stream: DraftStream, { filesOf }: Ownership, repository: Repository): string[] {
  const files = filesOf(stream);
  const counts = new Map<string, number>();
  for (const file of files) {
    for (const imported of repository.importsOf(file)) {
      counts.set(imported, (counts.get(imported) ?? 0) + 1);
    }
  }
  return [...counts]
    .filter(([path]) => !files.has(path) && isReadable(path, repository))
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .map(([path]) => path);
}

function isReadable(path: string, repository: Repository): boolean {
  return repository.hasFile(path) && repository.refusalOf(path) === undefined;
}

export function ruleReads(draft: Draft, repository: Repository): Draft {
  const ownership = indexOwnership(draft.streams, repository);
  const remarks: Remark[] = [];
  const streams = draft.streams.map((stream): DraftStream => {
    const imported = importedBy(stream, ownership, repository);
    const proposed = stream.reads.filter(
      (read) => isWide(read, repository) || !ownership.isOwn(read, stream),
    );
    const all = [...new Set([...proposed, ...imported])];
    const needed = new Set(all.filter((entry) => ownership.isOfOthers(entry, stream)));
    let room = Math.max(0, MANY_READS - needed.size);
    const reads = all.filter((entry) => needed.has(entry) || room-- > 0);
    const kept = new Set(reads);
    for (const read of proposed.filter((each) => !kept.has(each))) {
      const text = `does not read ${read}: with more than ${MANY_READS}, a timeout is likely`;
      remarks.push(remark('reads', text, stream.id));
    }
    return { ...stream, reads };
  });
  return { ...draft, streams, remarks: [...draft.remarks, ...remarks] };
}
