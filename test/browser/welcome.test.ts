import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeSetupLink } from '../../src/services/accounts/account-links.ts';
import { chromiumPath, useBrowser } from '../support/browser.ts';
import { newPerson } from '../accounts/people.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({ role: 'api' });
const PASSWORD = 'tulpe wagen regen 42';

async function linkFor(command: 'sign-in-link' | 'reset-password', email: string): Promise<URL> {
  const env = { DATABASE_URL: server().databaseUrl, MILLRACE_PUBLIC_URL: server().url };
  const { stdout } = await runHere(['admin', command, '--email', email, '--json'], env);
  return new URL((JSON.parse(stdout) as { url: string }).url);
}

async function makeLink(email: string, path: string): Promise<string> {
  const link = await linkFor('sign-in-link', email);
  link.searchParams.set('return', path);
  return link.href;
}

describe.skipIf(chromiumPath === undefined)('the page of links', () => {
  const browser = useBrowser();
  let page: Page;
  beforeAll(async () => {
    page = await browser.newPage();
  });

  it('creates the first account and an API key, then invites somebody who joins', async () => {
    const link = await makeSetupLink(server().db, server().url);
    await page.goto(link!.url);
    await page.getByLabel('Email').fill('first@example.com');
    await page.getByLabel('New password').fill('password1234');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('easy to guess').waitFor();
    expect(page.url()).not.toContain('mill_ln_');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Create an API key' }).click();
    const key = await page.locator('code').textContent();
    const { body } = await server().call('GET', '/v1/teams', { key: key! });
    const team = (body['items'] as { id: string }[])[0]!.id;

    const invited = await server().call('POST', `/v1/teams/${team}/members`, {
      key: key!,
      body: { email: 'second@example.com', role: 'member' },
    });
    await page.goto('about:blank');
    await page.goto((invited.body['invitation'] as { url: string }).url);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Signed in as second@example.com').waitFor();
    // The team that invited is the one that the dashboard opens with.
    await page.getByRole('link', { name: 'Open the dashboard' }).click();
    await page.getByRole('button', { name: /first@example\.com/ }).waitFor();
    expect(await page.evaluate(() => localStorage.getItem('millrace.team'))).toBe(team);
  });

  it('the sign-in page names the command that lets the owner of the server in', async () => {
    await page.context().clearCookies();
    await page.goto(`${server().url}/login`);
    const command = await page.locator('code').textContent();
    expect(command).toMatch(/^\/\S+\/millrace( --data-dir \S+)? admin sign-in-link$/);
  });

  it('signs in with a link and leads to its page of this server, also when it is opened again', async () => {
    const { email } = await newPerson(server());
    const context = await browser.newContext();
    const tab = await context.newPage();
    const open = async (path: string) => {
      const link = await makeLink(email, path);
      await tab.goto('about:blank');
      await tab.goto(link);
      return link;
    };
    const link = await open('/runs?status=failed');
    await tab.waitForURL(`${server().url}/runs?status=failed`);
    await tab.goto('about:blank');
    await tab.goto(link);
    await tab.waitForURL(`${server().url}/runs?status=failed`);
    await open('//evil.example.com/x');
    await tab.waitForURL(`${server().url}/`);
    await context.close();
  });

  it('lets a person with an account join the team that invites them', async () => {
    const owner = await newPerson(server());
    const invited = await newPerson(server());
    const { id } = (await owner.call('POST', '/v1/teams', { name: 'Platform' })).body;
    const { body } = await owner.call('POST', `/v1/teams/${id as string}/members`, {
      email: invited.email,
      role: 'viewer',
    });
    const context = await browser.newContext();
    const tab = await context.newPage();
    await tab.goto((body['invitation'] as { url: string }).url);
    await tab.getByText('Sign in to accept the invitation as viewer.').waitFor();
    expect(await tab.getByLabel('Email').inputValue()).toBe(invited.email);
    await tab.getByLabel('Password').fill('not the password');
    await tab.getByRole('button', { name: 'Sign in and join' }).click();
    await tab.getByRole('alert').waitFor();
    // A wrong password leaves the invitation as it is.
    await tab.getByLabel('Password').fill(PASSWORD);
    await tab.getByRole('button', { name: 'Sign in and join' }).click();
    await tab.getByText('You are now in Platform as viewer.').waitFor();
    await tab.getByRole('link', { name: 'Open the dashboard' }).click();
    await tab.getByRole('button', { name: /Platform/ }).waitFor();
    expect(await tab.evaluate(() => localStorage.getItem('millrace.team'))).toBe(id);
    await context.close();
  });

  it('sets a new password, which is the one to sign in with', async () => {
    const { email } = await newPerson(server());
    const changed = 'regen wagen tulpe 24';
    const context = await browser.newContext();
    const tab = await context.newPage();
    await tab.goto((await linkFor('reset-password', email)).href);
    await tab.getByText(`For ${email}. This signs you out everywhere else.`).waitFor();
    await tab.getByLabel('New password').fill(changed);
    await tab.getByRole('button', { name: 'Set password' }).click();
    await tab.getByText(`Signed in as ${email}.`).waitFor();
    await context.clearCookies();
    await tab.goto(`${server().url}/login`);
    for (const password of [PASSWORD, changed]) {
      await tab.getByLabel('Email').fill(email);
      await tab.getByLabel('Password').fill(password);
      await tab.getByRole('button', { name: 'Sign in', exact: true }).click();
      if (password === PASSWORD) await tab.getByRole('alert').waitFor();
    }
    await tab.waitForURL(`${server().url}/`);
    await context.close();
  });

  it('takes people in who come back signed in, with the team of their invitation', async () => {
    const { email, cookie, teamId } = await newPerson(server());
    const context = await browser.newContext();
    const tab = await context.newPage();
    await tab.goto(`${server().url}/login?signed-in`);
    // Without a session there is the form.
    await tab.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    const [name = '', value = ''] = cookie!.split('=');
    await context.addCookies([{ name, value, url: server().url }]);
    await tab.evaluate((id) => sessionStorage.setItem('millrace.joining', id), teamId);
    await tab.reload();
    await tab.getByText(`Signed in as ${email}.`).waitFor();
    const kept = () =>
      tab.evaluate(() => [
        localStorage.getItem('millrace.team'),
        sessionStorage.getItem('millrace.joining'),
      ]);
    expect(await kept()).toEqual([teamId, null]);
    await context.close();
  });

  it('says so when a link does not work', async () => {
    await page.goto('about:blank');
    await page.goto(`${server().url}/welcome#mill_ln_x`);
    await page.getByText('This link has expired or was already used').waitFor();
  });
});
