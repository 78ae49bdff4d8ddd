// Whether an entry of `owns` or `reads` can be trusted: inside the project, nothing that is never written, and
// in a folder that exists.
import { readPattern } from '../patterns/pattern.ts';
import type { Pattern } from '../patterns/pattern.ts';
import type { Repository } from './repository.ts';

export type Judgement = { kind: 'kept'; entries: string[] } | { kind: 'refused'; why: string };

const refused = (why: string): Judgement => ({ kind: 'refused', why });

const NEVER_WRITTEN: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  '.millrace',
  'node_modules',
]);
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
// `GIT~1` is `.git` on a volume with short names.
const SHORT_NAME = /^[^.]{1,6}~\d/;

function problemOfParts(parts: readonly string[]): string | undefined {
  for (const part of parts) {
    // Some systems drop dots and spaces at the end of a name.
    const name = part
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[. ]{1,9}$/, '');
    if (NEVER_WRITTEN.has(name)) return `${name} is never written`;
    if (SHORT_NAME.test(part) || part.startsWith('~')) return 'it does not name a file plainly';
    if (part.includes(':') || /^ |[. ]$/.test(part)) return 'not every system can have such a file';
  }
  return undefined;
}

/** Trees end in a slash, whether they were written so or as `folder/**`. */
function entryOf({ kind, parts, text }: Pattern): string {
  return kind === 'tree' && parts.length > 0 ? `${parts.join('/')}/` : text;
}

function judgePattern(pattern: Pattern, repository: Repository): Judgement {
  const { kind, parts, literalCount } = pattern;
  const problem = problemOfParts(parts);
  if (problem !== undefined) return refused(problem);
  const path = repository.spelled(parts.join('/'));
  const isFolder = kind === 'tree' || repository.hasFolder(path);
  if (path === '') {
    const everything: Judgement = { kind: 'kept', entries: ['**'] };
    return repository.isPartial ? everything : refused('it is the whole project; name its folders');
  }
  const why = repository.refusalOf(isFolder ? `${path}/` : path);
  if (why !== undefined) return refused(why);
  const entry = entryOf(pattern);
  if (kind !== 'glob') {
    if (repository.hasFile(path)) {
      const isFile = kind !== 'tree' || repository.isPartial;
      return isFile ? { kind: 'kept', entries: [entry] } : refused('it is a file, not a folder');
    }
    if (repository.hasFolder(path)) {
      return { kind: 'kept', entries: [entry.endsWith('/') ? entry : `${entry}/`] };
    }
  }
  if (repository.isPartial) return { kind: 'kept', entries: [entry] };
  const literal = kind === 'glob' ? parts.slice(0, literalCount) : parts.slice(0, -1);
  const blocked = fileOnTheWay(literal, repository);
  if (blocked !== undefined) return refused(`${blocked} is a file, not a folder`);
  const top = kind === 'tree' ? parts[0] : literal[0];
  const isNewTop = top !== undefined && !repository.hasFolder(repository.spelled(top));
  if (isNewTop && repository.hasSources && !repository.taskNames(top)) {
    return refused(`the project has no folder ${top}, and the task does not name it`);
  }
  return { kind: 'kept', entries: [entry] };
}

function fileOnTheWay(folders: readonly string[], repository: Repository): string | undefined {
  return folders
    .map((_, at) => repository.spelled(folders.slice(0, at + 1).join('/')))
    .find((path) => repository.hasFile(path));
}

/** Braces are written out, so that each path is judged by itself. */
export function judgeEntry(given: string, repository: Repository): Judgement {
  const trimmed = given.trim().replaceAll('\\', '/');
  const entry = trimmed === '.' || trimmed === './' ? '**' : trimmed;
  if (INVISIBLE.test(entry)) return refused('it has a control or invisible character');
  const read = readPattern(entry);
  if (read.kind === 'problem') return refused(`it ${read.problem}`);
  const entries = new Set<string>();
  const seen = new Set<string>();
  for (const pattern of read.patterns) {
    // Brackets come as a name and as a pattern of the same text; the name is what a proposal means.
    if (seen.has(pattern.text)) continue;
    seen.add(pattern.text);
    const judged = judgePattern(pattern, repository);
    if (judged.kind === 'refused') return judged;
    for (const each of judged.entries) entries.add(each);
  }
  return { kind: 'kept', entries: [...entries] };
}
