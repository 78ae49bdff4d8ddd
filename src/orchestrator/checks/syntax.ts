// Whether a file can be read by those who read files of its kind, before it is written. What could
// not be read before is not judged: it is in a dialect that we do not know.
import { parseSync } from 'oxc-parser';
import { loadAll } from 'js-yaml';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
import type { FileChange } from '../apply/file-change.ts';

/** Says what is wrong; undefined when nothing is. */
type Check = (path: string, text: string) => string | undefined;

/** Larger files are data, and take too long. */
const MAX_LENGTH = 1024 * 1024;

export const SCRIPT = /\.(?:[cm]?[jt]s|[jt]sx)$/;
/** A mark near the top of a script whose types are of another tool. */
const OTHER_TYPES = '@flow';
const TOP = 500;
/** JSON in which comments are usual. */
const WITH_COMMENTS =
  /(?:^|\/)(?:[tj]sconfig[^/]*|\.[^/]*rc|devcontainer|settings|launch|tasks|extensions|keybindings)\.json$|\.json5$|\.jsonc$|(?:^|\/)\.vscode\//;
/** A template that only becomes YAML. */
const TEMPLATE = /\{\{|\{%|<%/;

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

const checkScript: Check = (path, text) => {
  if (text.slice(0, TOP).includes(OTHER_TYPES)) return undefined;
  const lang = /\.[cm]?ts$/.test(path) ? 'ts' : path.endsWith('.tsx') ? 'tsx' : 'jsx';
  const isDeclaration = /\.d\.[cm]?ts$/.test(path);
  const errorsAs = (sourceType: 'module' | 'script') =>
    parseSync(path, text, { lang: isDeclaration ? 'dts' : lang, sourceType }).errors;
  const [first] = errorsAs('module');
  // Old scripts use what modules may not.
  if (first === undefined || errorsAs('script').length === 0) return undefined;
  const at = first.labels[0]?.start;
  return `${at === undefined ? '' : `line ${lineOf(text, at)}: `}${first.message}`;
};

const checkJson: Check = (path, text) => {
  if (WITH_COMMENTS.test(path)) return undefined;
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

const checkYaml: Check = (_, text) => {
  if (TEMPLATE.test(text)) return undefined;
  try {
    loadAll(text);
    return undefined;
  } catch (error) {
    const { reason, mark } = error as { reason?: string; mark?: { line: number } };
    // Tags are made by the program that reads the file.
    if (reason === undefined || reason.includes('tag')) return undefined;
    return `${mark ? `line ${mark.line + 1}: ` : ''}${reason}`;
  }
};

function checkOf(path: string): Check | undefined {
  if (SCRIPT.test(path)) return checkScript;
  if (path.endsWith('.json')) return checkJson;
  return /\.ya?ml$/.test(path) ? checkYaml : undefined;
}

export function syntaxProblems(changes: readonly FileChange[]): ApplyProblem[] {
  return changes.flatMap(({ path, before, after }) => {
    const check = checkOf(path);
    if (check === undefined || after === null || after.length > MAX_LENGTH) return [];
    const problem = check(path, after.toString('utf8'));
    if (problem === undefined) return [];
    if (before !== null && check(path, before.toString('utf8')) !== undefined) return [];
    return [{ path, code: 'SYNTAX', message: `It would not be valid: ${problem.slice(0, 300)}.` }];
  });
}
