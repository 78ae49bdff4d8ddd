// An answer that is cut off has to be asked for again. A stream that owns more than fits one answer becomes
// several, along folders, so that files of a folder stay together. Agents write file by file and are never split.
import { patternsOverlap } from '../patterns/overlap.ts';
import { patternsOf } from '../stream-graph.ts';
import { oneText, redirect, remark } from './draft.ts';
import type { Draft, DraftStream } from './draft.ts';
import { isWide } from './owners.ts';
import type { Repository } from './repository.ts';
import { unitOf } from './units.ts';

/** What a file that does not exist yet will probably have. */
const NEW_FILE_BYTES = 3_000;

/** Entries that stay together, because they can name the same file. */
interface Cluster {
  entries: string[];
  folder: string;
  bytes: number;
}

function bytesOf(entry: string, repository: Repository): number {
  const files = repository.filesOf(entry);
  // It may be there, and of any size: only what is known is a reason to split.
  if (files.length === 0) return repository.isPartial ? 0 : NEW_FILE_BYTES;
  return files.reduce((sum, file) => sum + repository.bytesOf(file), 0);
}

function folderOf(entry: string): string {
  return entry.slice(0, Math.max(0, entry.lastIndexOf('/', entry.length - 2)));
}

function overlap(a: string, b: string): boolean {
  return patternsOf([a]).some((x) => patternsOf([b]).some((y) => patternsOverlap(x, y)));
}

function clustersOf(owns: readonly string[], repository: Repository): Cluster[] {
  const clusters: Cluster[] = [];
  const wideFirst = [
    ...owns.filter((entry) => isWide(entry, repository)),
    ...owns.filter((entry) => !isWide(entry, repository)),
  ];
  for (const entry of wideFirst) {
    const meeting = clusters.filter(({ entries }) =>
      entries.some((other) => isWide(other, repository) && overlap(other, entry)),
    );
    const entries = [...meeting.flatMap((each) => each.entries), entry];
    const bytes = meeting.reduce((sum, each) => sum + each.bytes, bytesOf(entry, repository));
    for (const each of meeting) clusters.splice(clusters.indexOf(each), 1);
    clusters.push({ entries, folder: folderOf(entries[0]!), bytes });
  }
  return clusters.sort(
    (a, b) => compare(a.folder, b.folder) || compare(a.entries[0]!, b.entries[0]!),
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Folder after folder; one that does not fit beside those before it begins a new part. */
function partsOf(owns: readonly string[], repository: Repository): string[][] {
  const clusters = clustersOf(owns, repository);
  const limit = Math.max(1, repository.answerBytes);
  const ofFolder = new Map<string, number>();
  for (const { folder, bytes } of clusters) {
    ofFolder.set(folder, (ofFolder.get(folder) ?? 0) + bytes);
  }
  const parts: string[][] = [];
  let room = -1;
  let last: string | undefined;
  for (const { entries, folder, bytes } of clusters) {
    const isNewFolder = folder !== last;
    const needs = isNewFolder ? Math.min(ofFolder.get(folder)!, limit) : bytes;
    if (parts.length === 0 || needs > room) {
      parts.push([]);
      room = limit;
    }
    parts.at(-1)!.push(...entries);
    room -= bytes;
    last = folder;
  }
  return parts;
}

function partIds(stream: DraftStream, count: number, taken: Set<string>): string[] {
  const unit = unitOf(stream.id);
  // A part that is split again keeps its own number.
  const ids = unit === stream.id ? [] : [stream.id];
  for (let n = 1; ids.length < count; n++) {
    const id = `${unit}-part-${n}`;
    if (taken.has(id)) continue;
    taken.add(id);
    ids.push(id);
  }
  return ids;
}

const PART_NOTE = 'Of this, do only what belongs in the files that this stream owns.';

export function ruleSplit(draft: Draft, repository: Repository): Draft {
  if (repository.isForAgents) return draft;
  let { streams } = draft;
  let remarks = draft.remarks;
  const taken = new Set(streams.map(({ id }) => id));
  for (const stream of draft.streams) {
    const parts = partsOf(stream.owns, repository);
    if (parts.length < 2) continue;
    // An answer that is cut off can be asked for again; a plan with too many streams cannot be run.
    if (streams.length + parts.length - 1 > repository.maxStreams) continue;
    const ids = partIds(stream, parts.length, taken);
    const pieces = stream.pieces.map(({ name, text }) => ({
      name,
      text: text.endsWith(PART_NOTE) ? text : oneText([text, PART_NOTE]),
    }));
    const made = parts.map((owns, at): DraftStream => {
      const name = `${stream.name.slice(0, 100)}, part ${at + 1}`;
      return { ...stream, id: ids[at]!, name, owns, pieces };
    });
    streams = streams.flatMap((each) => (each.id === stream.id ? made : [each]));
    streams = redirect(streams, new Set([stream.id]), ids);
    const text = `one of ${parts.length} parts of ${stream.id}: its files do not fit one answer`;
    remarks = remarks.map((each) =>
      each.stream === stream.id ? { ...each, stream: ids[0]! } : each,
    );
    remarks = [...remarks, ...ids.map((id) => remark('split', text, id))];
  }
  return { ...draft, streams, remarks };
}
