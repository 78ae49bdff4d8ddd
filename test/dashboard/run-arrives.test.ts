import type { Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newPerson } from '../accounts/people.ts';
import { chromiumPath } from '../support/browser.ts';
import { closePage } from '../support/close-page.ts';
import { reportRun } from './reported-run.ts';
import { useVisitor } from './use-visitor.ts';

describe.skipIf(chromiumPath === undefined)('a run that is on its way to the page', () => {
  const { server, visitor } = useVisitor();

  it('is waited for when nobody knows it yet, and appears by itself, however late', async () => {
    await visitor().open('/runs/run_later');
    await visitor().page.getByText('Waiting for the run to start').waitFor();
    await visitor().expectAccessible();
    const page = await visitor().context.newPage();
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.clock.install();
    await page.goto(`${server().url}/runs/run_later`);
    await page.getByText('Waiting for the run to start').waitFor();
    await page.clock.fastForward(61_000);
    await page.getByText('There is no run with this id').waitFor();
    await reportRun(server(), visitor().key, 'run_later', { end: 'open' });
    await page.getByRole('button', { name: 'Running: About b' }).waitFor();
    expect(errors).toEqual([]);
    await closePage(page);
  });

  it('is not waited for when its id is none that a run gets', async () => {
    await visitor().open('/runs/nonsense');
    await visitor().page.getByText('There is no run with this id').waitFor({ timeout: 20_000 });
    expect(await visitor().page.getByText('Waiting for the run').count()).toBe(0);
  });

  it('is not shown as the history has it while its events are under way', async () => {
    await reportRun(server(), visitor().key, 'r-slow');
    const page = await visitor().context.newPage();
    // Requests of a shared worker cannot be held back.
    await page.addInitScript('delete window.SharedWorker');
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/v1/events?*', async (route) => {
      await released;
      await route.continue();
    });
    const recorded = page.waitForResponse('**/api/v1/history/r-slow');
    await page.goto(`${server().url}/runs/r-slow`);
    await recorded;
    // Time enough to draw what has come.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))');
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await page.getByRole('tab').count()).toBe(0);
    release();
    await page.getByRole('button', { name: 'Complete: About b' }).waitFor();
    await closePage(page);
  });

  it('is followed by a new stream while the one before is still being opened', async () => {
    await reportRun(server(), visitor().key, 'r-second');
    const page = await visitor().context.newPage();
    await page.addInitScript('delete window.SharedWorker');
    await page.addInitScript(`
      window.said = [];
      new MutationObserver(() => {
        const pill = document.querySelector('header [role=status]');
        if (pill !== null) window.said.push(pill.textContent);
      }).observe(document, { subtree: true, childList: true, characterData: true });
    `);
    const held: Route[] = [];
    await page.route('**/api/v1/events?*', (route) => void held.push(route));
    await page.goto(`${server().url}/runs`);
    await expect.poll(() => held.length).toBe(1);
    await page.locator('a[href$="/runs/r-second"]').first().click();
    await expect.poll(() => held.length).toBe(2);
    const opened = page.waitForResponse('**/api/v1/events?*');
    await held[0]!.continue();
    await opened;
    await page.getByText('Live', { exact: true }).waitFor();
    await held[1]!.continue();
    await page.getByRole('button', { name: 'Complete: About b' }).waitFor();
    const said = (await page.evaluate('[...new Set(window.said)]')) as string[];
    expect(said).toEqual(['Connecting', 'Live']);
    await closePage(page);
  });

  it('never comes to somebody else who signs in in the same browser', async () => {
    await reportRun(server(), visitor().key, 'r-own', { end: 'open' });
    const { page, context } = visitor();
    await visitor().open('/runs/r-own');
    await page.getByRole('button', { name: 'Running: About b' }).waitFor();
    // Without signing out: the session before goes on, and so does the stream that was opened with it.
    const next = await newPerson(server());
    const before = await context.cookies();
    const [name = '', value = ''] = next.cookie!.split('=');
    await context.addCookies([{ name, value, url: server().url }]);
    const other = await context.newPage();
    await other.goto(`${server().url}/runs/r-own`);
    await other.getByRole('alert').getByText('another account').waitFor();
    expect(await other.getByText('About b').count()).toBe(0);
    // The tab of the one before shows nothing of theirs any more.
    await page.waitForURL('**/login?return=*');
    visitor().forgetRefusals();

    await context.addCookies(before);
    await other.goto(`${server().url}/runs/r-own`);
    await other.getByRole('button', { name: 'Running: About b' }).waitFor();
    await visitor().open('/runs/r-own');
    await page.getByRole('button', { name: 'Running: About b' }).waitFor();
    // Not by a script of the tab: it leaves for the login by itself meanwhile, and would take the answer along.
    const origin = server().url;
    const signedOut = await context.request.post(`${origin}/api/v1/auth/logout`, {
      headers: { origin },
    });
    expect(signedOut.status()).toBe(200);
    await page.waitForURL('**/login?return=*');
    visitor().forgetRefusals();
    await closePage(other);
  });
});
