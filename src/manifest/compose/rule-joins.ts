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
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let shared = 0;
  let left = small.size;
  for (const each of small) {
    // As many as could still be shared would be too few.
    if (!isEnough(shared + left, a.size + b.size)) return false;
    if (large.has(each)) shared += 1;
    left -= 1;
  }
  return isEnough(shared, a.size + b.size);
}

function isEnough(shared: number, sum: number): boolean {
  return shared >= FEWEST_SHARED && shared > (sum - shared) * MOST;
}

interface Kinship {
  importsOf(unit: Unit): Set<string>;
  isBetween(a: Set<string>, b: Set<string>): boolean;
}

/** Judged once for units with the same files: a join changes one of hundreds. */
function createKinship(repository: Repository): Kinship {
  const imports = new Map<string, Set<string>>();
  const judged = new Map<Set<string>, Map<Set<string>, boolean>>();
  return {
    importsOf(unit) {
      const key = unit.owns.join('\n');
      let found = imports.get(key);
      if (found === undefined) imports.set(key, (found = importsOf(unit, repository)));
      return found;
    },
    isBetween(a, b) {
      let known = judged.get(a);
      if (known === undefined) judged.set(a, (known = new Map()));
      let together = known.get(b);
      if (together === undefined) known.set(b, (together = belongTogether(a, b)));
      return together;
    },
  };
}

function findPair(draft: Draft, kinship: Kinship): [Unit, Unit] | undefined {
  const units = unitsOf(draft.streams);
  const imports = units.map((unit) => kinship.importsOf(unit));
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
      if (kinship.isBetween(imports[at]!, imports[next]!) && !hasBetween(a, b)) return [a, b];
    }
  }
  return undefined;
}

export function ruleJoins(draft: Draft, repository: Repository): Draft {
  let joined = draft;
  const kinship = createKinship(repository);
  for (let pair = findPair(joined, kinship); pair; pair = findPair(joined, kinship)) {
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
