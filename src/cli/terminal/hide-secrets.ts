// What was typed may be a secret in the wrong place: it is not repeated.

export function hideSecrets(message: string): string {
  return message
    .replace(/(Expected \d+ arguments? but got \d+): .*/, '$1.')
    .replace(/(unknown option '-[^=']*)=[^']*'/, "$1'")
    .replace(/mill_[a-z]{2}_[\w-]+/g, (token) => `${token.slice(0, 'mill_sk_'.length)}...`);
}
