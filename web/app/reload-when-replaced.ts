// After an update of the server, the parts of the dashboard that an open page has not loaded yet are gone. A part that
// cannot be loaded is a reason to ask whether that is why; the new version has them all. A server that is down is not.
const AT = 'millrace.reloaded-at';
/** While nodes are updated one by one, old and new pages take turns. */
const PAUSE_MS = 30_000;

const scriptOf = (page: ParentNode) =>
  page.querySelector('script[type=module]')?.getAttribute('src');

async function reloadIfReplaced(): Promise<void> {
  if (Date.now() - Number(sessionStorage.getItem(AT)) < PAUSE_MS) return;
  const response = await fetch('/', { cache: 'no-store' });
  if (!response.ok) return;
  const current = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (scriptOf(current) === scriptOf(document)) return;
  sessionStorage.setItem(AT, String(Date.now()));
  location.reload();
}

export function reloadWhenReplaced(): void {
  addEventListener('vite:preloadError', (event) => {
    // What the browser says is for those who wrote the page, and makes the router reload also while the server is down.
    const { payload } = event as Event & { payload: Error };
    payload.message = 'A part of the page could not be fetched. Is the server up?';
    void reloadIfReplaced().catch(() => {});
  });
}
