import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.ts';
import { useVisitor } from './use-visitor.ts';

const PAGES = [
  '/',
  '/runs',
  '/executions',
  '/executions/new',
  '/jobs',
  '/jobs/new',
  '/usage',
  '/manifests',
  '/connect',
  '/settings/account',
  '/settings/provider-keys',
  '/settings/api-keys',
  '/settings/team',
  '/settings/webhooks',
];

describe.skipIf(chromiumPath === undefined)('the dashboard of a trial account', () => {
  const { server, visitor } = useVisitor();

  it('shows every page one after another, and leaves the requests of the API alone', async () => {
    const { person, page, open, key } = visitor();
    await server().db.query(`update teams set tier = 'trial' where id = $1`, [person.teamId]);
    const refused: string[] = [];
    const reads: string[] = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (response.status() === 429) refused.push(pathname);
      if (/^(\/pages)?\/(api\/)?v1\//.test(pathname)) reads.push(pathname);
    });
    for (const path of PAGES) await open(path);
    // What the last page asked for.
    await page.getByRole('heading', { name: 'Webhooks' }).first().waitFor();
    expect(refused).toEqual([]);
    // Far more than the ten of the tier.
    expect(reads.length).toBeGreaterThan(20);
    expect(reads.filter((path) => !path.startsWith('/pages/'))).toEqual([]);
    const answer = await server().call('GET', '/api/v1/history', { key });
    expect(answer.headers.get('ratelimit-limit')).toBe('10');
    expect(answer.headers.get('ratelimit-remaining')).toBe('9');
  });
});
