// Reads the copy of an agent while it works, and reports what is different so far: names and counts of files that the
// stream may write, never their text. Each time it reads only what was written since, and takes a small
// share of the time.
import { isUtf8 } from 'node:buffer';
import { isSecret } from '../domain/artifact/secret-path.ts';
import { countLines } from '../domain/diff/count-lines.ts';
import type { LineCounts } from '../domain/diff/count-lines.ts';
import type { Copy } from '../sandbox/copy/copy.ts';
import type { ChangeSoFar } from '../sandbox/copy/so-far.ts';
import type { ChangedSoFar } from './agent-events.ts';

const EVERY_MS = 2_000;
/** Looking takes at most this share of the time. */
const SHARE = 0.05;
const MOST_LISTED = 100;
/** Files that are read at once; the rest follows the next time. */
const MOST_READ = 50;

const KINDS = { added: 'create', modified: 'edit', deleted: 'delete' } as const;

export interface WatchedCopy {
  copy: Pick<Copy, 'soFar' | 'readSoFar' | 'before'>;
  isIgnored(path: string): boolean;
  mayWrite(path: string): boolean;
  onChanged(changed: ChangedSoFar): void;
}

/** Until what it returns is called. */
export function watchChanges(watched: WatchedCopy): () => void {
  let timer: NodeJS.Timeout;
  const readAll = createReader(watched);
  let before: string | undefined;
  function report(): void {
    try {
      const changed = readAll();
      const text = JSON.stringify(changed);
      const isNothing = changed.files === 0 && changed.outside === 0;
      if (text === before || (before === undefined && isNothing)) return;
      before = text;
      watched.onChanged(changed);
    } catch {
      // Files come and go meanwhile, and a run does not end for those who look on: the next time shows it.
    }
  }
  const plan = (ms: number) => {
    timer = setTimeout(() => {
      const since = performance.now();
      report();
      plan(Math.max(EVERY_MS, (performance.now() - since) / SHARE));
    }, ms).unref();
  };
  plan(EVERY_MS);
  return () => clearTimeout(timer);
}

function createReader({ copy, isIgnored, mayWrite }: WatchedCopy): () => ChangedSoFar {
  const known = new Map<string, { version: string; counts: LineCounts; isSame: boolean }>();

  function read({ path, change, version }: ChangeSoFar) {
    const old = change === 'added' ? '' : textOf(original(path));
    const now = change === 'deleted' ? '' : textOf(copy.readSoFar(path));
    const counts =
      old === undefined || now === undefined
        ? { additions: 0, deletions: 0 }
        : countLines(old, now);
    const isSame = change === 'modified' && old !== undefined && old === now;
    const entry = { version, counts, isSame };
    known.set(path, entry);
    return entry;
  }
  function original(path: string): Buffer | undefined {
    try {
      return copy.before(path);
    } catch {
      return undefined;
    }
  }

  return () => {
    const result: ChangedSoFar = { files: 0, additions: 0, deletions: 0, outside: 0, list: [] };
    let reads = 0;
    for (const change of copy.soFar().toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
      const { path, version } = change;
      if (change.change !== 'deleted' && isIgnored(path)) continue;
      let entry = known.get(path);
      if (entry?.version !== version && reads < MOST_READ) {
        reads += 1;
        entry = read(change);
      }
      if (entry?.isSame) continue;
      if (!mayWrite(path) || isSecret(path)) {
        result.outside += 1;
        continue;
      }
      const { additions, deletions } = entry?.counts ?? { additions: 0, deletions: 0 };
      result.files += 1;
      result.additions += additions;
      result.deletions += deletions;
      if (result.list.length >= MOST_LISTED) continue;
      result.list.push({ path, kind: KINDS[change.change], additions, deletions });
    }
    return result;
  };
}

/** Undefined for what has no lines. */
function textOf(bytes: Buffer | undefined): string | undefined {
  return bytes && isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : undefined;
}
