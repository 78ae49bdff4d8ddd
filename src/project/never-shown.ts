// Files that no model is shown because a folder or a pattern happens to cover them: those that hold
// secrets, and what only editors read. A person who wants one to be shown names it in `owns` or `reads`, in full.

const SECRET_NAMES = [
  /^\.env(?:\..+)?$/,
  /^\.(?:npmrc|netrc|pypirc|pgpass|git-credentials|htpasswd|vault-token)$/,
  /^_netrc$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)/,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg|asc)$/,
  /^(?:credentials|service[-_]?account.*|secrets?)\.(?:json|ya?ml|toml)$/,
];
const SECRET_FOLDERS = /(?:^|\/)\.(?:aws|ssh|gnupg|kube|docker|azure)\//;
// Made to be shown.
const EXAMPLE = /^\.env\.(?:example|sample|template|dist)$/;

export function isSecret(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (EXAMPLE.test(name)) return false;
  return SECRET_NAMES.some((shape) => shape.test(name)) || SECRET_FOLDERS.test(path.toLowerCase());
}

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
