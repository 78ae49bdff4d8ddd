// Paths that a model invents cost a run: a stream that owns `.git`, a file outside, or a folder nobody asked
// for. They are left out and named. A stream that owns nothing could write anything, so it is left out, too; unless it
// never named a file where the files are not known: then it writes what its plan asks for.
import { remark } from './draft.ts';
import type { Draft, DraftStream, Remark } from './draft.ts';
import { redirect } from './draft.ts';
import { judgeEntry } from './judge-entry.ts';
import { indexOwners } from './owners.ts';
import type { Owners } from './owners.ts';
import type { Repository } from './repository.ts';

function keepOwns(stream: DraftStream, repository: Repository, remarks: Remark[]): DraftStream {
  const owns = new Set<string>();
  for (const entry of stream.owns) {
    const judged = judgeEntry(entry, repository);
    if (judged.kind === 'kept') for (const each of judged.entries) owns.add(each);
    else remarks.push(remark('paths', `left out ${entry}: ${judged.why}`, stream.id));
  }
  return { ...stream, owns: [...owns] };
}

/** There to be read: in the project, or made by another stream. */
function canRead(entry: string, repository: Repository, owners: Owners): boolean {
  if (repository.isPartial) return true;
  const spelled = repository.spelled(entry);
  return repository.filesOf(spelled).length > 0 || owners.of(spelled).length > 0;
}

function keepReads(
  stream: DraftStream,
  { repository, owners, remarks }: { repository: Repository; owners: Owners; remarks: Remark[] },
): DraftStream {
  const reads = new Set<string>();
  for (const entry of stream.reads) {
    const judged = judgeEntry(entry, repository);
    const why = judged.kind === 'refused' ? judged.why : 'there is no such file';
    const kept =
      judged.kind === 'kept'
        ? judged.entries.filter((each) => canRead(each, repository, owners))
        : [];
    if (kept.length === 0)
      remarks.push(remark('paths', `does not read ${entry}: ${why}`, stream.id));
    for (const each of kept) if (!stream.owns.includes(each)) reads.add(each);
  }
  return { ...stream, reads: [...reads] };
}

/** Those that waited for a stream without files wait for what it waited for. */
function withoutEmpty(draft: Draft, free: ReadonlySet<string>, remarks: Remark[]): DraftStream[] {
  let { streams } = draft;
  for (const { id, name, owns } of draft.streams) {
    if (owns.length > 0 || free.has(id)) continue;
    const gone = streams.find((stream) => stream.id === id)!;
    const rest = streams.filter((stream) => stream.id !== id);
    streams = redirect(
      rest,
      new Set([id]),
      gone.deps.filter((dep) => dep !== id),
    );
    remarks.push(remark('paths', `left out the stream ${name}: no file that it may write is left`));
  }
  return streams;
}

/** Streams that may write what they like, because nobody knows the files that they could name. */
function freeIn({ streams }: Draft, { isPartial }: Repository): Set<string> {
  const free = streams.filter(({ owns }) => isPartial && owns.length === 0);
  return new Set(free.map(({ id }) => id));
}

export function rulePaths(draft: Draft, repository: Repository): Draft {
  const remarks: Remark[] = [];
  const owning = draft.streams.map((stream) => keepOwns(stream, repository, remarks));
  const streams = withoutEmpty({ ...draft, streams: owning }, freeIn(draft, repository), remarks);
  const owners = indexOwners(streams, repository);
  return {
    ...draft,
    streams: streams.map((stream) => keepReads(stream, { repository, owners, remarks })),
    remarks: [...draft.remarks, ...remarks],
  };
}
