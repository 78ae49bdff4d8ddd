// Where an artifact may write. A stream's `owns` say what is its own; some places are refused even
// then, because what stands there is run or believed without anybody looking at it.
import { patternsOverlap } from '../../manifest/patterns/overlap.ts';
import { filePattern, readPattern } from '../../manifest/patterns/pattern.ts';
import type { Pattern } from '../../manifest/patterns/pattern.ts';

export interface PathRule {
  /** Undefined when the path is fine. */
  problemWith(path: string): PathProblem | undefined;
}

export interface PathProblem {
  code: 'OUTSIDE_OWNS' | 'PROTECTED';
  message: string;
}

/** Segments, in lower case: some file systems do not tell `.NPMRC` from `.npmrc`. */
const BY_NAME_ONLY: readonly ((parts: readonly string[]) => number)[] = [
  // Steps that run on other machines, with secrets.
  (parts) => parts.findIndex((part, at) => part === 'workflows' && parts[at - 1] === '.github'),
  (parts) => parts.indexOf('.husky'),
  (parts) => parts.indexOf('.npmrc'),
  (parts) => parts.indexOf('node_modules'),
  (parts) => parts.findIndex((part) => part.startsWith('.env')),
  // What assistants and tools follow without anybody looking at it.
  (parts) => parts.findIndex((part) => STEERING.has(part)),
];

const STEERING: ReadonlySet<string> = new Set([
  'agents.md',
  'claude.md',
  '.claude',
  '.mcp.json',
  '.codex',
  '.gemini',
  'opencode.json',
  '.gitattributes',
  '.vscode',
]);

/** Assistants or tools follow it, or another machine runs it. */
export function isSteeringFile(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  return BY_NAME_ONLY.some((at) => at(parts) !== -1);
}

export function createPathRule(options: {
  owns: readonly string[];
  protectedPaths: readonly string[];
}): PathRule {
  const patterns = options.owns.flatMap((entry) => {
    const read = readPattern(entry);
    return read.kind === 'patterns' ? read.patterns : [];
  });
  const kept = options.protectedPaths.map((path) => path.toLowerCase().replace(/(?<!\/)\/+$/, ''));

  function isOwned(file: Pattern): boolean {
    if (options.owns.length === 0) return true;
    return patterns.some((pattern) => patternsOverlap(pattern, file));
  }

  /** An entry that gives this segment itself, not one that happens to reach it. */
  function isSpelledOut(file: Pattern, at: number): boolean {
    return patterns.some(({ parts, literalCount }, i) => {
      if (literalCount < at || !patternsOverlap(patterns[i]!, file)) return false;
      const name = file.parts[at]!.toLowerCase().startsWith('.env') ? '.env' : file.parts[at]!;
      return literalCount > at || (name === '.env' && parts[at]?.startsWith(name) === true);
    });
  }

  return {
    problemWith(path) {
      const lower = path.toLowerCase();
      const parts = lower.split('/');
      if (parts.includes('.millrace')) return isProtected('.millrace holds the state of runs');
      if (kept.some((each) => lower === each || lower.startsWith(`${each}/`))) {
        return isProtected('an artifact may not change it');
      }
      const file = filePattern(path);
      const at = Math.max(...BY_NAME_ONLY.map((find) => find(parts)));
      if (at >= 0 && !isSpelledOut(file, at)) {
        const place = path
          .split('/')
          .slice(0, at + 1)
          .join('/');
        return isProtected(`only a stream whose owns name ${place} itself may change it`);
      }
      if (isOwned(file)) return undefined;
      const message = `It is outside the files this stream owns (${shortList(options.owns)}).`;
      return { code: 'OUTSIDE_OWNS', message };
    },
  };
}

function isProtected(why: string): PathProblem {
  return { code: 'PROTECTED', message: `It is protected: ${why}.` };
}

function shortList(entries: readonly string[]): string {
  const shown = entries.slice(0, 10).join(', ');
  return entries.length > 10 ? `${shown} and ${entries.length - 10} more` : shown;
}
