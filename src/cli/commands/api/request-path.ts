// Where a request goes: to the server of the command and nowhere else, because it carries the key.
import { usageError } from '../../command-error.ts';

export const SUCH_AS = 'Name a path of the server, such as /v1/executions.';

/** The path below the address of the server, with these fields in its query. */
export function pathOn(
  server: string,
  asked: string,
  query: readonly (readonly [string, string])[],
): string {
  const base = new URL(server).href.replace(/\/$/, '');
  const isAddress = /^[a-z][a-z0-9+.-]*:/i.test(asked);
  const target = URL.parse(isAddress ? asked : `${base}/${asked.replace(/^\//, '')}`);
  if (target === null) throw usageError(`"${asked}" is not a path.`, SUCH_AS);
  if (!target.href.startsWith(`${base}/`)) {
    throw usageError(
      `"${asked}" is not on the server ${base}. Nothing was sent.`,
      `${SUCH_AS} For another server, pass --url.`,
    );
  }
  for (const [name, value] of query) target.searchParams.append(name, value);
  target.hash = '';
  return target.href.slice(base.length);
}
