// Runs inside of the sandbox, as `files.ts` does: a search by ripgrep where it is installed, else by a Node of its own. Both
// are processes with a time limit, so that a pattern that takes for ever takes no longer than that. They find the same:
// what is ignored is left out by who shows it, and a pattern that only one of them knows is for that one.
import type { CommandEnd, SearchResult } from '../inside-api.ts';

export interface SearchAsked {
  path: string;
  pattern: string;
  glob: string | null;
  ignoresCase: boolean;
  maxBytes: number;
}

type Run = (
  line: readonly [string, ...string[]],
  limits: { timeoutMs: number; headBytes: number; tailBytes: number },
) => Promise<CommandEnd>;

/** Of the process that searches where there is no ripgrep; its text is sent as well. */
export function scan(asked: SearchAsked & { root: string }): void {
  const fs = process.getBuiltinModule('node:fs');
  const { join, matchesGlob, basename } = process.getBuiltinModule('node:path');
  const { isUtf8 } = process.getBuiltinModule('node:buffer');
  const skipped = new Set(['.git', 'node_modules', '.millrace']);
  let pattern: RegExp;
  try {
    pattern = new RegExp(asked.pattern, asked.ignoresCase ? 'i' : '');
  } catch (error) {
    fs.writeSync(1, (error as Error).message);
    process.exit(2);
  }
  const isWanted = (path: string) =>
    asked.glob === null ||
    matchesGlob(asked.glob.includes('/') ? path : basename(path), asked.glob);
  let bytes = 0;
  let isFound = false;

  function file(path: string): void {
    if (!isWanted(path)) return;
    let content: Buffer;
    try {
      const full = join(asked.root, path);
      if (fs.statSync(full).size > 8 * 1024 * 1024) return;
      content = fs.readFileSync(full);
    } catch {
      // Closed to its owner, or gone.
      return;
    }
    if (content.includes(0) || !isUtf8(content)) return;
    for (const [at, written] of content.toString('utf8').split('\n').entries()) {
      const line = written.replace(/\r$/, '');
      if (!pattern.test(line)) continue;
      isFound = true;
      const shown = Buffer.from(`${path}:${at + 1}:${line.slice(0, 300)}\n`);
      bytes += shown.length;
      fs.writeSync(1, shown);
      if (bytes > asked.maxBytes) process.exit(0);
    }
  }
  function folder(path: string): void {
    const entries = fs.readdirSync(join(asked.root, path), { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (skipped.has(entry.name)) continue;
      const name = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) folder(name);
      else if (entry.isFile()) file(name);
    }
  }
  const start = fs.lstatSync(join(asked.root, asked.path));
  if (start.isDirectory()) folder(asked.path);
  else if (start.isFile()) file(asked.path);
  process.exit(isFound ? 0 : 1);
}

export function searcher(root: string, run: Run, scanText: string) {
  const TIMEOUT_MS = 5000;
  let hasRipgrep: boolean | undefined;

  const options = [
    '--no-config',
    '--line-number',
    '--with-filename',
    '--no-heading',
    '--color=never',
    '--no-ignore',
    '--hidden',
    '--crlf',
    '--max-filesize=8M',
    '--sort=path',
    '--max-columns=300',
    '--max-columns-preview',
  ];

  function ripgrep({ path, pattern, glob, ignoresCase }: SearchAsked): [string, ...string[]] {
    const skipped = ['.git', 'node_modules', '.millrace'].flatMap((name) => ['-g', `!${name}`]);
    return [
      'rg',
      ...options,
      ...(glob === null ? [] : ['-g', glob]),
      ...skipped,
      ...(ignoresCase ? ['--ignore-case'] : []),
      '-e',
      pattern,
      '--',
      path === '' ? '.' : path,
    ];
  }

  return async (asked: SearchAsked): Promise<SearchResult> => {
    const limits = { timeoutMs: TIMEOUT_MS, headBytes: asked.maxBytes, tailBytes: 0 };
    let end = hasRipgrep === false ? undefined : await run(ripgrep(asked), limits);
    hasRipgrep ??= end?.isMissing === false;
    // It does not know every pattern that JavaScript has, and fails for one file that it cannot read.
    if (end === undefined || end.isMissing || (end.exitCode === 2 && !end.isTimedOut)) {
      const text = `(${scanText})(${JSON.stringify({ ...asked, root })})`;
      end = await run([process.execPath, '--no-warnings', '--eval', text], limits);
    }
    const { head, exitCode, isTimedOut } = end;
    if (exitCode === 2 && !isTimedOut) throw new Error(head.slice(0, 1000));
    const lines = head.split(/\r?\n/).filter((line) => /:\d+:/.test(line));
    const text = lines.map((line) => `${line.replace(/^\.\//, '')}\n`).join('');
    return { text, isTimedOut, isCut: end.dropped > 0 };
  };
}
