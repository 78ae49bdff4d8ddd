// A hub that several streams own makes them run one after the other, whatever else they do. It goes to one
// stream: a late one when it names what the others write, because it cannot name what is not there yet (it imports their
// files, or is a table of routes or a migration); otherwise an early one, because the others need what it declares.
import { joinStreams, remark } from './draft.ts';
import type { Draft, DraftStream, Piece } from './draft.ts';
import { hubKindOf, hubsOf } from './hub-files.ts';
import { indexOwners, isWide } from './owners.ts';
import type { Owners } from './owners.ts';
import type { Repository } from './repository.ts';

const EARLY = { id: 'contract', name: 'Shared declarations' };
const LATE = { id: 'integration', name: 'Integration' };

type Place = typeof EARLY;

function placeOf(path: string, owners: readonly DraftStream[], repository: Repository): Place {
  const kind = hubKindOf(path, repository);
  if (kind === 'package') return EARLY;
  if (kind === 'routes' || kind === 'migrations') return LATE;
  const theirs = new Set(owners.flatMap(({ owns }) => owns));
  return repository.importsOf(path).some((imported) => theirs.has(imported)) ? LATE : EARLY;
}

function hasRoomFor({ id }: Place, { streams }: Draft, { maxStreams }: Repository): boolean {
  return streams.length < maxStreams || streams.some((stream) => stream.id === id);
}

/** The stream of that name, made first or last in the plan where there is none. */
function withPlace(draft: Draft, { id, name }: Place): Draft {
  if (draft.streams.some((stream) => stream.id === id)) return draft;
  const lists = { owns: [], reads: [], deps: [], setup: [], verify: [] };
  const stream: DraftStream = { id, name, pieces: [], duties: [], ...lists };
  const isFirst = id === EARLY.id;
  return { ...draft, streams: isFirst ? [stream, ...draft.streams] : [...draft.streams, stream] };
}

/** Gives the file to one stream, with the plans of those that gave it up, in the order that `place` asks for. */
function moveTo(
  draft: Draft,
  path: string,
  { target, givers, isLate }: { target: string; givers: readonly string[]; isLate: boolean },
): Draft {
  const others = new Set(givers.filter((id) => id !== target));
  const pieces: Piece[] = draft.streams.flatMap((stream) =>
    others.has(stream.id) ? stream.pieces : [],
  );
  const streams = draft.streams.map((stream): DraftStream => {
    if (stream.id === target) {
      const owns = [...new Set([...stream.owns, path])];
      const reads = stream.reads.filter((read) => read !== path);
      const deps = isLate ? [...new Set([...stream.deps, ...others])] : stream.deps;
      return { ...stream, owns, reads, deps, duties: [...stream.duties, { path, pieces }] };
    }
    if (!others.has(stream.id)) return stream;
    const deps = isLate ? stream.deps : [...new Set([...stream.deps, target])];
    return { ...stream, deps, owns: stream.owns.filter((entry) => entry !== path) };
  });
  const text = `changes ${path} for ${[...others].join(', ')}: it is one stream's alone`;
  const remarks = [...draft.remarks, remark('hubs', text, target)];
  return dissolveEmpty({ ...draft, streams, remarks }, target, others);
}

/** A stream that owned nothing but the hub becomes part of the one that has it now. */
function dissolveEmpty(draft: Draft, target: string, givers: ReadonlySet<string>): Draft {
  const empty = draft.streams.filter(({ id, owns }) => givers.has(id) && owns.length === 0);
  if (empty.length === 0) return draft;
  const { name } = draft.streams.find(({ id }) => id === target)!;
  const members = new Set([target, ...empty.map(({ id }) => id)]);
  return joinStreams(draft, members, { target, id: target, name });
}

/** Streams whose folders both cover a hub cannot be kept apart: they become one. */
function joinCovering(draft: Draft, path: string, covering: readonly string[]): Draft {
  const [first] = covering as [string];
  const { name } = draft.streams.find(({ id }) => id === first)!;
  const joined = joinStreams(draft, new Set(covering), { target: first, id: first, name });
  const text = `joined ${covering.join(', ')}: their folders all have ${path} in them`;
  return { ...joined, remarks: [...joined.remarks, remark('hubs', text, first)] };
}

/** The same draft when there is nothing to settle. */
function settleHub(draft: Draft, path: string, repository: Repository, all: Owners): Draft {
  const owners = all.of(path);
  const ids = [...new Set(owners.map(({ stream }) => stream))];
  if (ids.length < 2) return draft;
  const covering = [
    ...new Set(owners.flatMap(({ stream, entry }) => (isWide(entry, repository) ? [stream] : []))),
  ];
  if (covering.length > 1) {
    const joined = joinCovering(draft, path, covering);
    return settleHub(joined, path, repository, indexOwners(joined.streams, repository));
  }
  const streams = draft.streams.filter(({ id }) => ids.includes(id));
  const place = placeOf(path, streams, repository);
  const isLate = place === LATE;
  const [folder] = covering;
  // Without room for a stream of its own, those that own it run one after the other, as with any other file.
  if (folder === undefined && !hasRoomFor(place, draft, repository)) return draft;
  if (folder !== undefined) return moveTo(draft, path, { target: folder, givers: ids, isLate });
  return moveTo(withPlace(draft, place), path, { target: place.id, givers: ids, isLate });
}

/** Words of a plan that can be paths. */
function namesIn(text: string): Set<string> {
  const words = text.split(/[^\w./@+-]+/);
  return new Set(words.map((word) => word.replace(/^(?:\.\/)+/, '').replace(/\.{1,3}$/, '')));
}

/** A plan that names a hub means to change it, unless its stream only reads it. */
function settleNamed(draft: Draft, hubs: readonly string[], repository: Repository): Draft {
  const names = draft.streams.map(({ pieces, reads }) => {
    const named = namesIn(pieces.map(({ text }) => text).join('\n'));
    for (const read of reads) named.delete(read);
    return named;
  });
  const owners = indexOwners(draft.streams, repository);
  let settled = draft;
  for (const path of hubs) {
    const givers = draft.streams
      // One that owns no files in particular may write this one as well.
      .filter(({ owns }, at) => owns.length > 0 && names[at]!.has(path))
      .map(({ id }) => id);
    if (givers.length === 0 || owners.of(path).length > 0) continue;
    const [only] = settled.streams;
    if (settled.streams.length === 1 && only !== undefined) {
      const text = `owns ${path}: its plan names it`;
      const streams = [{ ...only, owns: [...only.owns, path] }];
      settled = {
        ...settled,
        streams,
        remarks: [...settled.remarks, remark('hubs', text, only.id)],
      };
      continue;
    }
    if (!hasRoomFor(LATE, settled, repository)) continue;
    // A single stream that names it is nobody's rival for it, but may still run beside others that rely on it.
    settled = moveTo(withPlace(settled, LATE), path, { target: LATE.id, givers, isLate: true });
  }
  return settled;
}

export function ruleHubs(draft: Draft, repository: Repository): Draft {
  const known = hubsOf(repository);
  const proposed = draft.streams.flatMap(({ owns }) =>
    owns.filter((entry) => hubKindOf(entry, repository) !== undefined),
  );
  const hubs = [...new Set([...proposed, ...known])].sort();
  let settled = draft;
  let owners = indexOwners(settled.streams, repository);
  for (const path of hubs) {
    const before = settled;
    settled = settleHub(settled, path, repository, owners);
    // A project may have thousands of hubs; few of them are in a plan.
    if (settled !== before) owners = indexOwners(settled.streams, repository);
  }
  return settleNamed(settled, known, repository);
}
