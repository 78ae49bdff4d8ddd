// While a session is being replaced, the browser still sends the cookie of before, which is refused already.
import { describe, expect, it } from 'vitest';
import { PASSWORD, signIn } from '../accounts/people.ts';
import { chromiumPath } from '../support/browser.ts';
import { useVisitor } from './use-visitor.ts';

const SESSIONS = '/api/v1/auth/sessions';
/** Of the lock that everything of one browser shares. */
const LOCKS = `navigator.locks.query().then(({ held, pending }) => ({
  held: held.filter(({ name }) => name === 'millrace-session').map(({ mode }) => mode),
  pending: pending.filter(({ name }) => name === 'millrace-session').length,
}))`;

describe.skipIf(chromiumPath === undefined)('a session that is being replaced', () => {
  const { server, visitor } = useVisitor();

  it('is waited for by tabs and their event stream, and nobody has to sign in again', async () => {
    const { page, context, person } = visitor();
    await visitor().open('/settings/account');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.evaluate(`new Promise((taken) => {
      const replaced = Promise.withResolvers();
      window.replaced = replaced.resolve;
      void navigator.locks.request('millrace-session', () => (taken(), replaced.promise));
    })`);
    const next = await signIn(server(), person.email);
    const { items } = (await next.call('GET', SESSIONS)).body as unknown as {
      items: { id: string; current: boolean }[];
    };
    for (const { id } of items.filter(({ current }) => !current)) {
      expect((await next.call('DELETE', `${SESSIONS}/${id}`)).status).toBe(200);
    }
    // Whatever a tab asks now is refused, and so is the event stream when it is opened again.
    await page.getByRole('link', { name: 'Runs', exact: true }).first().click();
    await expect.poll(() => page.evaluate(LOCKS)).toMatchObject({ held: ['exclusive'] });
    const waiting = () => page.evaluate(`${LOCKS}.then(({ pending }) => pending)`);
    await expect.poll(waiting).toBeGreaterThan(0);
    const [name = '', value = ''] = next.cookie!.split('=');
    await context.addCookies([{ name, value, url: server().url }]);
    await page.evaluate('window.replaced()');
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate(LOCKS)).toEqual({ held: [], pending: 0 });
    expect(new URL(page.url()).pathname).toBe('/runs');
    visitor().forgetRefusals();
  });

  it('is one while the password changes', async () => {
    const { page } = visitor();
    await visitor().open('/settings/account');
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/v1/auth/password', async (route) => {
      await released;
      await route.continue();
    });
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('other unrelated words 8');
    await page.getByRole('button', { name: 'Change password' }).click();
    await expect.poll(() => page.evaluate(LOCKS)).toEqual({ held: ['exclusive'], pending: 0 });
    release();
    await page.getByText('Your password was changed').waitFor();
    await expect.poll(() => page.evaluate(LOCKS)).toEqual({ held: [], pending: 0 });
    await page.unroute('**/api/v1/auth/password');
    visitor().forgetRefusals();
  });
});
