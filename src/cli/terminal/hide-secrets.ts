// What was typed may be a secret in the wrong place: it is not repeated.

export function hideSecrets(message: string): string {
  return message
    .replace(/(Expected \d+ arguments? but got \d+): .*/, '$1.')
    .replace(/(unknown option '-[^=']*)=[^']*'/, "$1'")
    .replace(/mill_sk_\w+/g, 'mill_sk_...');
}
