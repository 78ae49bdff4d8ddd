// Past changes of a repository that touched several files, and its files as they were before each.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

export interface PastChange {
  id: string;
  message: string;
  /** Paths that it added, changed or deleted. */
  files: readonly string[];
}

const FEWEST_FILES = 3;
const MOST_FILES = 40;
/** Of each repository: recent ones are like what people ask for today. */
const LOOK_AT = 3_000;

function git(repository: string, ...args: string[]): string {
  return execFileSync('git', ['-C', repository, '-c', 'core.hooksPath=/dev/null', ...args], {
    encoding: 'utf8',
    maxBuffer: 1024 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Spread evenly over those that fit, so that they are not all of one week. */
export function pastChanges(repository: string, count: number): PastChange[] {
  const log = git(
    repository,
    'log',
    '--no-merges',
    '--no-renames',
    '-z',
    '--name-only',
    `--max-count=${LOOK_AT}`,
    '--format=%x01%H%x02%B%x02',
  );
  const changes = log.split('\u0001').flatMap((entry): PastChange[] => {
    const [id = '', message = '', names = ''] = entry.split('\u0002');
    const files = names.split('\0').flatMap((name) => name.trim() || []);
    const fits = files.length >= FEWEST_FILES && files.length <= MOST_FILES;
    return fits ? [{ id, message: message.trim(), files }] : [];
  });
  const step = Math.max(1, changes.length / count);
  return Array.from(
    { length: Math.min(count, changes.length) },
    (_, at) => changes[Math.floor(at * step)]!,
  );
}

/** Brings the files of before a change into a folder of its own. */
export function openBefore(repository: string, folder: string): (change: PastChange) => void {
  mkdirSync(folder, { recursive: true });
  git(repository, 'clone', '-q', '--shared', '--no-checkout', repository, folder);
  return ({ id }) => {
    git(folder, 'checkout', '-q', '--force', '--detach', `${id}~1`);
    git(folder, 'clean', '-qfdx');
  };
}
