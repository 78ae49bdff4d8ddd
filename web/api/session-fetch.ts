// The session of a browser can be replaced by a new one, for example when the password changes. Until the answer
// is here, the browser still sends the cookie of before, which is refused already. So whatever replaces the session
// holds a lock of all tabs and their worker, and whoever is refused waits for it and asks once more.
import { PAGE_READS } from '../../src/contract/page-reads.ts';
import { SESSION_LOCK } from '../../src/contract/session-lock.ts';

/** Without https there are no locks; then somebody is sent to the login once too often, very rarely. */
function locked<T>(mode: 'shared' | 'exclusive', act: () => Promise<T>): Promise<T> {
  return 'locks' in navigator ? navigator.locks.request(SESSION_LOCK, { mode }, act) : act();
}

const READ = /^\/(?:api\/)?v1\//;

/** Reads go by the addresses for pages, which have a limit of their own. */
function addressOf(input: Parameters<typeof fetch>[0], init: RequestInit | undefined) {
  if (input instanceof Request || (init?.method ?? 'GET') !== 'GET') return input;
  const url = new URL(input, 'http://page.invalid');
  return READ.test(url.pathname) ? PAGE_READS + url.pathname + url.search : input;
}

export const sessionFetch: typeof fetch = async (input, init) => {
  const send = () => fetch(addressOf(input, init), init);
  const response = await send();
  return response.status === 401 ? locked('shared', send) : response;
};

export const sessionReplacingFetch: typeof fetch = (input, init) =>
  locked('exclusive', () => fetch(input, init));
