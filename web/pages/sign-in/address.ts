// The address that a person came by, read once: what is secret in it is taken out of the history at once.

export const query = new URLSearchParams(location.search);

/** What follows the `#`: the token of a link, or the code of a command line. */
export const secret = location.hash.slice(1);

// Neither the history nor a bookmark should keep it.
if (secret !== '') history.replaceState(null, '', location.pathname);

/** A path of this server only: another site may have made up the address. */
function ownPath(text: string | null): string | undefined {
  if (text === null || !text.startsWith('/')) return undefined;
  const url = URL.parse(text, location.origin);
  return url?.origin === location.origin ? url.pathname + url.search : undefined;
}

/** Where signing in leads. */
export const returnPath = ownPath(query.get('return'));
