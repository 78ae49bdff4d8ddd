// The bundle of a checkout: made when there is none, or when a source is not the one that it was made
// of. Sessions that start at the same time may each make one: a bundle is whole before its name is
// written down, and the last name counts.
import { randomUUID } from 'node:crypto';
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Modified when, and how large. */
type Stamp = readonly [mtimeMs: number, size: number];

interface Made {
  /** Of its folder, in the one of all bundles: a checkout that is copied takes its bundles along. */
  name: string;
  /** By path, relative to the checkout. */
  stamps: Record<string, Stamp>;
}

const ENTRY = 'program.js';
const RECORD = 'bundle.json';
/** Sessions that were started with an older bundle may still load parts of it. */
const KEPT_MS = 7 * 24 * 3_600_000;
/** What a bundle is made by, besides the sources. */
const MADE_BY = [
  'package-lock.json',
  'scripts/tools-bundle/bundle.ts',
  'scripts/tools-bundle/face.ts',
];

function stampOf(path: string): Stamp {
  const { mtimeMs, size } = statSync(path);
  return [mtimeMs, size];
}

function readRecord(home: string): Made | undefined {
  try {
    return JSON.parse(readFileSync(join(home, RECORD), 'utf8')) as Made;
  } catch {
    return undefined;
  }
}

function isFresh(root: string, home: string, { name, stamps }: Made): boolean {
  try {
    statSync(join(home, name, ENTRY));
    return Object.entries(stamps).every(([path, [mtimeMs, size]]) => {
      const now = stampOf(join(root, path));
      return now[0] === mtimeMs && now[1] === size;
    });
  } catch {
    return false;
  }
}

function removeOld(home: string, current: string): void {
  for (const name of readdirSync(home)) {
    const path = join(home, name);
    if (path === current || name === RECORD) continue;
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (age > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

async function make(root: string, home: string): Promise<Made> {
  const { bundleTools } = await import('./bundle.ts');
  const name = randomUUID();
  const folder = join(home, name);
  const startedAt = Date.now();
  mkdirSync(home, { recursive: true });
  const { inputs } = await bundleTools({ from: join(root, 'src'), to: folder });
  const stamps = [...inputs.map((input) => `src/${input}`), ...MADE_BY].map(
    (path): [string, Stamp] => {
      const stamp = stampOf(join(root, path));
      // Nobody knows which of its texts is in the bundle.
      return [path, stamp[0] < startedAt ? stamp : [0, 0]];
    },
  );
  const made = { name, stamps: Object.fromEntries(stamps) };
  const draft = join(home, `${name}.json`);
  writeFileSync(draft, JSON.stringify(made));
  renameSync(draft, join(home, RECORD));
  removeOld(home, folder);
  return made;
}

/** Parts that are loaded on demand are found from where a bundle really is. */
function isOwnFolder(root: string): boolean {
  const modules = join(root, 'node_modules');
  return realpathSync(modules) === join(realpathSync(root), 'node_modules');
}

/**
 * The file to import; it is made first where that is needed. Undefined where the packages are those of
 * another checkout, by a link: a bundle in there would load the other one's code.
 */
export async function bundleOfCheckout(
  root: string,
  home = join(root, 'node_modules', '.cache', 'millrace-tools'),
): Promise<string | undefined> {
  if (!isOwnFolder(root)) return undefined;
  const known = readRecord(home);
  const isKnown = known !== undefined && isFresh(root, home, known);
  const { name } = isKnown ? known : await make(root, home);
  return join(home, name, ENTRY);
}
