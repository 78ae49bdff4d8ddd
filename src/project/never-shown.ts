// Files that no model is shown because a folder or a pattern happens to cover them: those that hold
// secrets, and what only editors read. A person who wants one to be shown names it in `owns` or `reads`, in full.
import { isSecret } from '../domain/artifact/secret-path.ts';

/** The copy that `init` writes for editors: thousands of tokens that say nothing about the project. */
const EDITOR_SCHEMA = /(?:^|\/)millrace\.schema\.json$/;

/** Only shown to a stream that names it in full. */
export function isOnlyNamed(path: string): boolean {
  return isSecret(path) || EDITOR_SCHEMA.test(path);
}

/** Folders that are never walked into. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  '.millrace',
  'node_modules',
]);

const MADE_BY_TOOLS =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|cargo\.lock|go\.sum|poetry\.lock|uv\.lock|gemfile\.lock|composer\.lock)$|\.min\.(?:js|css)$|\.map$|\.snap$/i;

/** Large and of little use: not shown unless asked for by name, folder or pattern. */
export function isMadeByTools(path: string): boolean {
  return MADE_BY_TOOLS.test(path);
}
