// Which version an installed agent is, and whether it is one that is known to work. A package of npm says it in its file;
// of other programs it is what they print, with an empty environment and a home of their own.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';

const PROBE_MS = 10_000;
const MOST_OUTPUT = 10_000;
const VERSION = /\b(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)/;

function ofPackage(file: string): string | undefined {
  if (!file.includes(`${sep}node_modules${sep}`)) return undefined;
  for (let at = dirname(file); dirname(at) !== at; at = dirname(at)) {
    const path = join(at, 'package.json');
    if (!existsSync(path)) continue;
    try {
      const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version?: unknown };
      return typeof version === 'string' ? version : undefined;
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** The process group ends with it: a program that waits for something leaves nothing behind. */
async function printed(file: string, searchPath: string): Promise<string | undefined> {
  const home = mkdtempSync(join(tmpdir(), 'millrace-version-'));
  try {
    const child = spawn(file, ['--version'], {
      cwd: home,
      env: { PATH: searchPath, HOME: home, TMPDIR: home },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(0, MOST_OUTPUT);
    });
    const endGroup = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Nothing of it is left.
      }
    };
    const timer = setTimeout(endGroup, PROBE_MS);
    await new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    });
    // What it printed last may still be on its way.
    await new Promise((resolve) => setImmediate(resolve));
    clearTimeout(timer);
    endGroup();
    return VERSION.exec(output)?.[1];
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

export async function versionOf(file: string, searchPath: string): Promise<string | undefined> {
  return ofPackage(file) ?? (await printed(file, searchPath));
}

const numbersOf = (version: string) => version.split(/[.-]/).slice(0, 3).map(Number);

/** At least the first that is known to work, and of no later major version than that which was tried. */
export function isTriedVersion(
  version: string,
  { from, tested }: { from: string; tested: string },
): boolean {
  const [mine, first, last] = [version, from, tested].map(numbersOf) as [
    number[],
    number[],
    number[],
  ];
  if (mine[0]! > last[0]!) return false;
  const differs = mine.findIndex((part, index) => part !== first[index]);
  return differs < 0 || mine[differs]! > first[differs]!;
}
