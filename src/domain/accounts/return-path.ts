// Where a user goes after signing in. The address that they came by may have been made up by others, so
// only paths of this server's own pages count.

const LONGEST = 500;
/** Never asked: only what the path leads to counts. */
const ANYWHERE = 'http://server.invalid';

/** Undefined for everything that could lead elsewhere. */
export function ownPath(text: string | undefined): string | undefined {
  if (text === undefined || text.length > LONGEST) return undefined;
  // Browsers read a backslash as a slash, and leave out tabs and line breaks.
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes('\\')) return undefined;
  const url = URL.parse(text, ANYWHERE);
  if (url === null || url.origin !== ANYWHERE || url.pathname.startsWith('//')) return undefined;
  // Pages only: a request of the API is not to be made by a link.
  return url.pathname.startsWith('/api/') || url.pathname.startsWith('/v1/')
    ? undefined
    : url.pathname + url.search;
}
