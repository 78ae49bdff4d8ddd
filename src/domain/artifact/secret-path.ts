// Files that hold secrets, by their names.

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
