// Notifications of the browser: asked for by a click, raised by one tab where none is in view. A Chromium without windows
// has no notifications and refuses to ask, so the page has a Notification that is answered as a test says and notes what it
// would show.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, resolve } from '../approvals/ask.ts';
import { joinTeam, newPerson } from '../accounts/people.ts';
import { chromiumPath } from '../support/browser.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';
import { useVisitor } from './use-visitor.ts';
import { violationsOn } from './visitor.ts';

/** Pages without a window are all in view, too. */
const SCRIPT = `
  let hidden = false;
  Object.defineProperty(document, 'hidden', { get: () => hidden });
  window.setHidden = (value) => { hidden = value; document.dispatchEvent(new Event('visibilitychange')); };
  window.raised = [];
  window.asks = 0;
  window.Notification = class extends EventTarget {
    constructor(title, { body, tag }) {
      super();
      if (Notification.permission !== 'granted') throw new TypeError('not permitted');
      window.raised.push({ title, body, tag });
      window.lastNotice = this;
    }
    close() {}
    static get permission() { return localStorage.getItem('test.permission') ?? 'default'; }
    static async requestPermission() {
      window.asks += 1;
      localStorage.setItem('test.permission', localStorage.getItem('test.says'));
      return Notification.permission;
    }
  };`;

interface Raised {
  title: string;
  body: string;
  tag: string;
}
const raisedIn = (page: Page) => page.evaluate('window.raised') as Promise<Raised[]>;
const hide = (page: Page, isHidden: boolean) => page.evaluate(`window.setHidden(${isHidden})`);
const isCounted = (page: Page, count: number) =>
  expect
    .poll(() => page.title(), { timeout: 20_000 })
    .toMatch(count === 0 ? /^[^(]/ : `(${count})`);

/** Of the question of the browser, and of its settings. */
const setKept = (page: Page, name: 'says' | 'permission', value: 'granted' | 'denied') =>
  page.evaluate(`localStorage.setItem('test.${name}', '${value}')`);

describe.skipIf(chromiumPath === undefined)('notifications of the browser', () => {
  const { server, visitor } = useVisitor();
  /** Of their own: a script that was added to a page stays with it. */
  const tabs: Page[] = [];
  const page = () => tabs[0]!;
  beforeAll(async () => {
    const { context } = visitor();
    for (let i = 0; i < 3; i++) {
      const tab = await context.newPage();
      tab.setDefaultTimeout(30_000);
      await tab.addInitScript(SCRIPT);
      tabs.push(tab);
    }
  });
  afterAll(async () => {
    for (const tab of tabs) await tab.close();
  });

  const raised = async () => (await Promise.all(tabs.map(raisedIn))).flat();
  async function openPage(path = '/approvals'): Promise<void> {
    await page().goto(server().url + path);
    await page().locator('main h1').first().waitFor();
  }
  async function answerAll(...asked: { id: string; hash: string }[]) {
    for (const each of asked) await resolve(server(), visitor().key, each);
    for (const page of tabs) await isCounted(page, 0);
  }

  it('are asked for by a click alone, and a refusal is explained', async () => {
    await openPage();
    const on = page().getByRole('button', { name: 'Notify me in this browser' });
    await on.waitFor();
    expect(await page().evaluate('window.asks')).toBe(0);
    await setKept(page(), 'says', 'denied');
    await on.click();
    await page().getByText('Your browser blocks notifications of this site.').waitFor();
    expect(await page().evaluate('window.asks')).toBe(1);
    expect(await violationsOn(page())).toEqual([]);
    await setKept(page(), 'permission', 'granted');
    await setKept(page(), 'says', 'granted');
    await page().evaluate(`dispatchEvent(new Event('focus'))`);
    await on.click();
    await page().getByRole('button', { name: 'Stop notifying me' }).waitFor();
    expect(await violationsOn(page())).toEqual([]);
  });

  it('are raised by one tab of several, when none is in view, and open the question', async () => {
    verifies('approvals.desktop-notices');
    const { key } = visitor();
    await openPage();
    for (const tab of tabs.slice(1)) {
      await tab.goto(`${server().url}/runs`);
      await tab.locator('main h1').first().waitFor();
    }
    for (const each of tabs) await hide(each, true);
    const title = 'Write the changes of web: 2 files \u202e, +1 -1';
    const first = await ask(server(), key, { title, detail: 'not for a screen' });
    await waitUntil(async () => (await raised()).length > 0, 'the notification');
    for (const each of tabs) await isCounted(each, 1);
    expect(await raised()).toEqual([
      {
        title: 'A run needs you',
        body: 'Write the changes of web: 2 files  , +1 -1',
        tag: first.id,
      },
    ]);
    // Another one is in view: the person sees it there.
    await hide(tabs[1]!, false);
    const second = await ask(server(), key, { title: 'Seen elsewhere' });
    for (const each of tabs) await isCounted(each, 2);
    await hide(tabs[1]!, true);
    const third = await ask(server(), key, { title: 'The last one' });
    await waitUntil(async () => (await raised()).some(({ tag }) => tag === third.id));
    // Not always by the same tab.
    const tags = (await raised()).map(({ tag }) => tag);
    expect(tags.toSorted()).toEqual([first.id, third.id].toSorted());

    const [owner] = await Promise.all(
      tabs.map(async (each) => ((await raisedIn(each)).length > 0 ? each : undefined)),
    ).then((found) => found.filter((each) => each !== undefined));
    await owner!.evaluate(`window.lastNotice.dispatchEvent(new Event('click'))`);
    await owner!.waitForURL(/\/approvals\/apr_/);
    await answerAll(first, second, third);
  });

  it('are not raised for what others have to answer, nor after they were turned off', async () => {
    const { key, person } = visitor();
    await openPage();
    for (const tab of tabs) await hide(tab, true);
    const before = (await raised()).length;
    // Asked by another member, for a role that this person has; by this one, for another person.
    const other = await newPerson(server());
    await joinTeam(server(), { teamId: person.teamId, userId: other.userId, role: 'member' });
    await person.call('PATCH', `/v1/teams/${person.teamId}`, {
      settings: { approvalByOther: true },
    });
    const theirs = await ask(server(), key, { origin: 'runner', title: 'For another person' });
    await page().getByRole('button', { name: 'Stop notifying me' }).click();
    const mine = await ask(server(), key, { title: 'After it was turned off' });
    for (const each of tabs) await isCounted(each, 1);
    // Until the tabs have agreed on who would notify.
    const since = performance.now();
    await waitUntil(() => performance.now() - since > 4000, 'the tabs to agree');
    await page().getByRole('button', { name: 'Notify me in this browser' }).click();
    const last = await ask(server(), key, { title: 'Turned on again' });
    await waitUntil(async () => (await raised()).some(({ tag }) => tag === last.id));
    expect((await raised()).slice(before).map(({ tag }) => tag)).toEqual([last.id]);
    await person.call('PATCH', `/v1/teams/${person.teamId}`, {
      settings: { approvalByOther: null },
    });
    await resolve(server(), key, theirs);
    await answerAll(mine, last);
  });
});

describe.skipIf(chromiumPath === undefined)('the rule that another person approves', () => {
  const { server, visitor } = useVisitor();

  it('is a switch of the team, which viewers cannot change', async () => {
    const { page, person, key } = visitor();
    await visitor().open('/settings/team');
    const rule = page.getByRole('checkbox', { name: 'Another person approves changes and pushes' });
    await rule.waitFor();
    expect(await rule.isChecked()).toBe(false);
    await visitor().expectAccessible();
    await rule.click();
    await page.getByText('Changes need another person now.').waitFor();
    await expect.poll(() => rule.isChecked()).toBe(true);
    const read = async () =>
      (await person.call('GET', `/v1/teams/${person.teamId}`)).body['settings'];
    expect(await read()).toMatchObject({ approvalByOther: true });
    const asked = await ask(server(), key, { origin: 'runner' });
    expect((await resolve(server(), key, asked)).status).toBe(403);
    await rule.click();
    await page.getByText('People may approve their own changes now.').waitFor();
    expect(await read()).toMatchObject({ approvalByOther: false });
  });
});
