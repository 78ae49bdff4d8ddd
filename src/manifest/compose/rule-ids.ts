// Streams need ids that a manifest accepts, each its own, and deps that name streams of the plan. A model
// gives names with spaces, the same id twice, or refers to a stream by its title.
import { STREAM_ID_PATTERN } from '../../contract/stream-limits.ts';
import { remark } from './draft.ts';
import type { Draft, DraftStream, Remark } from './draft.ts';
import { MAX_NAME, oneLine } from './proposal.ts';
import { folded } from './repository.ts';
import { unitOf } from './units.ts';

/** Room for the endings that parts of a stream and fixes get. */
const MAX_ID = 64;
// An id of the form in which a run names the fixes of a stream would meet them.
const FIX = /-fix-(\d{1,9})$/;

function slug(text: string): string {
  return (
    text
      .slice(0, 500)
      .normalize('NFKD')
      // Accents come apart from their letters: `ö` is an `o` here, and no gap.
      .replaceAll(/\p{Mn}/gu, '')
      .toLowerCase()
      .replaceAll('ß', 'ss')
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, MAX_ID)
      .replaceAll(/^-|-$/g, '')
  );
}

function idFor(given: string, name: string): string {
  const isFine = unitOf(given).length <= MAX_ID && STREAM_ID_PATTERN.test(given);
  return (isFine ? given : slug(given) || slug(name) || 'stream').replace(FIX, '-fixes-$1');
}

function freeId(wanted: string, taken: ReadonlySet<string>): string {
  let id = wanted;
  for (let n = 2; taken.has(folded(id)); n++) id = `${wanted.slice(0, MAX_ID - 5)}-${n}`;
  return id;
}

export function ruleIds(draft: Draft): Draft {
  const remarks: Remark[] = [];
  const taken = new Set<string>();
  /** What the proposal may call a stream; the first with a name has it. */
  const called = new Map<string, string>();
  const ids = draft.streams.map(({ id: given, name }) => {
    const id = freeId(idFor(given, name), taken);
    taken.add(folded(id));
    if (!called.has(given)) called.set(given, id);
    return id;
  });
  for (const [at, { id: given, name }] of draft.streams.entries()) {
    const id = ids[at]!;
    if (given !== '' && id !== given && given !== name) {
      remarks.push(remark('ids', `renamed from ${given}`, id));
    }
    for (const other of [id, name, slug(given), slug(name)]) {
      if (other !== '' && !called.has(other)) called.set(other, id);
    }
  }
  const streams = draft.streams.map((stream, at): DraftStream => {
    const id = ids[at]!;
    const deps = new Set<string>();
    for (const dep of stream.deps) {
      const meant = called.get(dep) ?? called.get(slug(dep) || dep);
      if (meant === undefined) {
        remarks.push(remark('ids', `dropped the dep ${dep}: there is no such stream`, id));
      } else if (meant !== id) deps.add(meant);
    }
    const name = stream.name || oneLine(stream.id, MAX_NAME) || id;
    const named = stream.pieces.map((piece) => (piece.name === '' ? { ...piece, name } : piece));
    // Its name is all that is known of what it does; where it is joined with others, only plans are kept.
    const pieces = named.length > 0 ? named : [{ name, text: name }];
    return { ...stream, id, name, pieces, deps: [...deps] };
  });
  return { ...draft, streams, remarks: [...draft.remarks, ...remarks] };
}
