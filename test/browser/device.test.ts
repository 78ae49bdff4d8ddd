// Signing in, and letting a command line in, as a person does it.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, newPerson } from '../accounts/people.ts';
import { violationsOn } from '../dashboard/visitor.ts';
import { chromiumPath, useBrowser } from '../support/browser.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({
  role: 'api',
  oidcIssuer: 'http://127.0.0.1:1',
  oidcClientId: 'x',
  oidcName: 'Example Inc',
  smtpUrl: 'smtp://127.0.0.1:1',
  mailFrom: 'millrace@example.com',
});

describe.skipIf(chromiumPath === undefined)('the pages to sign in with', () => {
  const browser = useBrowser();
  let page: Page;
  let email: string;
  const problems: string[] = [];
  beforeAll(async () => {
    page = await browser.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) problems.push(message.text());
    });
    ({ email } = await newPerson(server()));
  });

  async function start() {
    const body = { clientName: 'millrace on box-1' };
    const { body: codes } = await server().call('POST', '/api/v1/auth/device', { body });
    return codes as Record<'deviceCode' | 'userCode' | 'verificationUrlComplete', string>;
  }
  const ask = ({ deviceCode }: { deviceCode: string }) =>
    server().call('POST', '/api/v1/auth/device/token', { body: { deviceCode } });

  it('sign a person in, who sees what asks and allows it', async () => {
    const codes = await start();
    await page.goto(codes.verificationUrlComplete);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const { pathname, searchParams } = new URL(page.url());
    expect([pathname, searchParams.get('return')]).toEqual(['/login', '/device']);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Wrong email or password.').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Allow this sign-in?').waitFor();
    expect(page.url()).not.toContain(codes.userCode);
    for (const shown of [codes.userCode, 'millrace on box-1', '127.0.0.1', email]) {
      await page.getByText(shown, { exact: true }).waitFor();
    }
    // Seeing it decides nothing.
    expect((await ask(codes)).status).toBe(409);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Return to your terminal').waitFor();
    expect((await ask(codes)).status).toBe(200);
  });

  it('load nothing of the pages behind them, and are for every screen, theme and reader', async () => {
    const tab = await browser.newPage();
    for (const [path, name] of [
      ['/login', 'login-page'],
      ['/welcome', 'welcome-page'],
    ] as const) {
      await tab.goto(server().url + path);
      await tab.getByRole('button', { name: 'Sign in' }).waitFor();
      const scripts = (await tab.evaluate(
        `performance.getEntriesByType('resource').map(({ name }) => name)`,
      )) as string[];
      const pages = scripts.flatMap(
        (url) => /assets\/([\w-]+-page)-[^/]+\.js$/.exec(url)?.[1] ?? [],
      );
      expect(pages).toEqual([name]);
      expect(scripts.join()).not.toMatch(/live-worker|palette|account-menu/);
      for (const colorScheme of ['light', 'dark'] as const) {
        await tab.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect(await violationsOn(tab), `${path}, ${colorScheme}`).toEqual([]);
      }
      await tab.setViewportSize({ width: 320, height: 600 });
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    }
    // One reaches everything with the keyboard, beginning at the first field.
    await tab.goto(`${server().url}/login`);
    await expect.poll(() => tab.evaluate('document.activeElement.name')).toBe('email');
    await tab.keyboard.type(email);
    await tab.keyboard.press('Tab');
    await tab.keyboard.type('wrong');
    await tab.keyboard.press('Enter');
    await tab.getByRole('alert').getByText('Wrong email or password.').waitFor();
    await tab.close();
  });

  it('take a code that is typed, and a no', async () => {
    const codes = await start();
    await page.goto('about:blank');
    await page.goto(`${server().url}/device`);
    await page.getByLabel('Code').fill('BBBB-BBBB');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('There is no sign-in with this code').waitFor();
    await page.getByLabel('Code').fill(codes.userCode.toLowerCase());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Sign-in denied').waitFor();
    expect((await ask(codes)).status).toBe(403);
  });

  it('lead to the provider and back to the page, to a new password, and nowhere else', async () => {
    await page.goto(`${server().url}/login?return=//evil.example.com`);
    await page.getByRole('link', { name: 'Continue with Example Inc' }).click();
    await page.getByText('The single sign-on provider does not answer').waitFor();
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    await page.getByLabel('Email').fill('nobody@example.com');
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('If nobody@example.com has an account here').waitFor();
    await page.goto(`${server().url}/login?return=//evil.example.com`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(`Signed in as ${email}.`).waitFor();
    expect(problems).toEqual([]);
  });
});
