import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeSetupLink } from '../../src/services/accounts/account-links.ts';
import { chromiumPath, useBrowser } from '../support/browser.ts';
import { newPerson } from '../accounts/people.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({ role: 'api' });
const PASSWORD = 'tulpe wagen regen 42';

async function makeLink(email: string, path: string): Promise<string> {
  const env = { DATABASE_URL: server().databaseUrl, MILLRACE_PUBLIC_URL: server().url };
  const { stdout } = await runHere(['admin', 'sign-in-link', '--email', email, '--json'], env);
  const link = new URL((JSON.parse(stdout) as { url: string }).url);
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

  it('says so when a link does not work', async () => {
    await page.goto('about:blank');
    await page.goto(`${server().url}/welcome#mill_ln_x`);
    await page.getByText('This link has expired or was already used').waitFor();
  });
});
