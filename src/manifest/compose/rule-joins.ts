// Streams that use the same modules do the same kind of work: each would be shown the same files, and would
// solve the same things in its own way. As one stream they are asked once.
import { joinStreams, remark } from './draft.ts';
import type { Draft } from './draft.ts';
import { hubKindOf } from './hub-files.ts';
import type { Repository } from './repository.ts';
import { settleDeps } from './settle-deps.ts';
import { unitsOf } from './units.ts';
import type { Unit } from './units.ts';

/** Fewer common imports say nothing: every small file has one or two. */
const FEWEST_SHARED = 3;
const MOST = 0.5;

/** Hubs are left out: everything imports them. */
function importsOf({ owns }: Unit, repository: Repository): Set<string> {
  const files = new Set(owns.flatMap((entry) => repository.filesOf(entry)));
  const imports = new Set<string>();
  for (const file of files) {
    for (const imported of repository.importsOf(file)) {
      if (!files.has(imported) && hubKindOf(imported, repository) === undefined) {
        imports.add(imported);
      }
    }
  }
  return imports;
}

function belongTogether(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  let shared = 0;
  for (const each of a) if (b.has(each)) shared += 1;
  return shared >= FEWEST_SHARED && shared > (a.size + b.size - shared) * MOST;
}

function findPair(draft: Draft, repository: Repository): [Unit, Unit] | undefined {
  const units = unitsOf(draft.streams);
  const imports = units.map((unit) => importsOf(unit, repository));
  const { waits } = settleDeps(draft.streams);
  const follows = (a: Unit, b: Unit) => waits(a.streams[0]!.id, b.streams[0]!.id);
  /** A third that waits for one of them while the other waits for it would end up in a circle. */
  const hasBetween = (a: Unit, b: Unit) =>
    units.some(
      (each) => (follows(each, a) && follows(b, each)) || (follows(each, b) && follows(a, each)),
    );
  for (const [at, a] of units.entries()) {
    for (let next = at + 1; next < units.length; next++) {
      const b = units[next]!;
      if (belongTogether(imports[at]!, imports[next]!) && !hasBetween(a, b)) return [a, b];
    }
  }
  return undefined;
}

export function ruleJoins(draft: Draft, repository: Repository): Draft {
  let joined = draft;
  for (let pair = findPair(joined, repository); pair; pair = findPair(joined, repository)) {
    const [a, b] = pair;
    const first = a.streams[0]!;
    const members = new Set([...a.streams, ...b.streams].map(({ id }) => id));
    const name = `${first.name}; ${b.streams[0]!.name}`.slice(0, 120).trim();
    joined = joinStreams(joined, members, { target: first.id, id: a.id, name });
    const text = `joined with ${b.id}: they share most of their imports`;
    joined = { ...joined, remarks: [...joined.remarks, remark('joins', text, a.id)] };
  }
  return joined;
}
