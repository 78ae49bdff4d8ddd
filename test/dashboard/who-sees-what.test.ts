import { beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../accounts/people.ts';
import { chromiumPath } from '../support/browser.ts';
import { patiently } from '../support/patient-call.ts';
import { reportRun } from './reported-run.ts';
import { useVisitor } from './use-visitor.ts';
import { newViewer, newVisitor } from './visitor.ts';

const RUN = 'r-seen';
/** What changes something, on the pages of runs, jobs and executions. */
const ACTS = /^(Cancel|Run again|Share|Run this task|New execution|Playground)/;

describe.skipIf(chromiumPath === undefined)('who sees what in the dashboard', () => {
  const { server, visitor } = useVisitor();
  let pages: Record<'run' | 'job' | 'execution' | 'webhook', string>;
  let writes: [path: string, body: object][];

  beforeAll(async () => {
    const { key } = visitor();
    const make = async (path: string, body: object) => {
      const headers = { 'idempotency-key': path };
      const made = await patiently(() => server().call('POST', path, { key, body, headers }));
      expect(made.status, path).toBeLessThan(300);
      return String(made.body['id'] ?? made.body['jobId']);
    };
    const job = { streamId: 'seen', prompt: '[[sim:hang]]', model: 'sim-fast', maxTokens: 100 };
    const task = { task: 'Seen by its team [[sim:hang]]', model: 'sim-fast' };
    const hook = { url: 'http://127.0.0.1:9/seen', events: ['*'] };
    await reportRun(server(), key, RUN, { end: 'open' });
    const jobId = await make('/api/v1/execute', job);
    const executionId = await make('/v1/executions', task);
    const webhookId = await make('/v1/webhooks', hook);
    pages = {
      run: `/runs/${RUN}`,
      job: `/jobs/${jobId}`,
      execution: `/executions/${executionId}`,
      webhook: `/settings/webhooks/${webhookId}`,
    };
    writes = [
      [`/api/v1/runs/${RUN}/cancel`, {}],
      [`/api/v1/runs/${RUN}/shares`, {}],
      [`/api/v1/job/${jobId}/cancel`, {}],
      [`/v1/executions/${executionId}/cancel`, {}],
      [`/v1/webhooks/${webhookId}/test`, {}],
    ];
    return async () => {
      for (const [path, body] of [writes[2]!, writes[3]!]) {
        await server().call('POST', path, { key, body });
      }
    };
  });

  /** What the server says to each change, asked as the page of this person would. */
  async function answers(person: Person, teamId: string, more: typeof writes = []) {
    const headers = { 'sec-fetch-site': 'same-origin', 'x-team-id': teamId };
    const all = [...writes, ...more].map(async ([path, body]) => {
      const { status } = await patiently(() => person.call('POST', path, body, headers));
      return [path, status] as const;
    });
    return Promise.all(all);
  }

  it('a viewer sees all of it, finds nothing that changes it, and is refused by the server', async () => {
    const viewer = await newViewer(server(), visitor().person);
    const { page } = viewer;
    const shown = {
      run: page.getByRole('button', { name: /^Complete: About a/ }),
      job: page.getByRole('heading', { name: 'seen' }),
      execution: page.getByText('Planning').first(),
      webhook: page.getByText('127.0.0.1:9/seen').first(),
    };
    for (const [name, path] of Object.entries(pages)) {
      await viewer.open(path);
      await shown[name as keyof typeof pages].waitFor();
      const main = page.locator('main');
      const names = [
        ...(await main.getByRole('button').allTextContents()),
        ...(await main.getByRole('link').allTextContents()),
      ];
      expect(
        names.filter((text) => ACTS.test(text.trim())),
        path,
      ).toEqual([]);
    }
    for (const path of ['/jobs/new', '/executions/new']) {
      await viewer.open(path);
      await page.getByText('You are a viewer of this team').waitFor();
      expect(await page.getByRole('textbox').count(), path).toBe(0);
    }
    await viewer.expectAccessible();
    viewer.expectQuiet();
    const { teamId } = visitor().person;
    const makes: typeof writes = [
      ['/api/v1/execute', { streamId: 'x', prompt: 'x', model: 'sim-fast', maxTokens: 9 }],
      ['/v1/executions', { task: 'x', model: 'sim-fast' }],
      ['/v1/webhooks', { url: 'http://127.0.0.1:9/x', events: ['*'] }],
    ];
    for (const [path, status] of await answers(viewer.person, teamId, makes)) {
      expect(status, path).toBe(403);
    }
    await viewer.close();
  });

  it('somebody else sees none of it, by list, by address or by asking the server', async () => {
    const stranger = await newVisitor(server());
    const { page, person } = stranger;
    for (const path of Object.values(pages)) {
      await page.goto(server().url + path);
      await page.locator('main').getByRole('alert').first().waitFor();
      expect(await page.locator('main').textContent(), path).not.toMatch(/seen|About a/i);
    }
    for (const path of ['/runs', '/jobs', '/executions', '/settings/webhooks']) {
      await stranger.open(path);
      await page.getByText(/^No (runs|jobs|executions|webhooks) yet/).waitFor();
    }
    for (const [path, status] of await answers(person, person.teamId)) {
      expect(status, path).toBe(403);
    }
    // The team of the other cannot be chosen either.
    for (const [path, status] of await answers(person, visitor().person.teamId)) {
      expect(status, path).toBe(403);
    }
    await stranger.close();
  });
});
