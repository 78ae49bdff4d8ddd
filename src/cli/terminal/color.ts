// Whether to write colours. A wish against them always wins: escape codes in a file are worse than a
// plain terminal.

export function wantsColor(env: NodeJS.ProcessEnv, stream: { isTTY?: boolean }): boolean {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  const clicolor = env['CLICOLOR_FORCE'];
  if (clicolor !== undefined && clicolor !== '' && clicolor !== '0') return true;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
