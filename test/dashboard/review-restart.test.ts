// A review while its server is started again: nothing that was said is lost, before or during it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BELIEVES_TESTS } from '../accounts/people.ts';
import { chromiumPath } from '../support/browser.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { askReview, changedFile } from './asked-review.ts';
import { newVisitor } from './visitor.ts';

describe.skipIf(chromiumPath === undefined)('a review while its server is started again', () => {
  /** Keeps the database while the other one is away. */
  let keeper: TestServer;
  let server: TestServer;
  beforeAll(async () => {
    keeper = await startTestServer(BELIEVES_TESTS);
    server = await startTestServer(BELIEVES_TESTS, keeper.databaseUrl);
  });
  afterAll(async () => {
    await server?.close();
    await keeper?.close();
  });

  it('keeps what is said in the tab, and sends it when the server is back', async () => {
    const visitor = await newVisitor(server);
    const { page, key } = visitor;
    const paths = ['a.ts', 'b.ts', 'c.ts', 'd.ts'];
    const files = paths.map((path) => changedFile(path, 'old\n', 'new\n'));
    const { id, client } = await askReview(server, key, files);
    await visitor.open(`/approvals/${id}`);
    const accept = (path: string) =>
      page
        .getByRole('region', { name: path, exact: true })
        .getByRole('button', { name: 'Accept', exact: true })
        .click();
    await accept('a.ts');
    await page.getByText('Saved', { exact: true }).waitFor();
    const port = Number(new URL(server.url).port);
    await server.close();
    await accept('b.ts');
    await page.getByText('Not saved yet: trying again').waitFor();
    await accept('c.ts');
    await page.getByText('3 accepted, 0 rejected, 1 undecided').waitFor();
    server = await startTestServer({ ...BELIEVES_TESTS, port }, keeper.databaseUrl);
    await page.getByText('Saved', { exact: true }).waitFor();
    // Said and left at once.
    await accept('d.ts');
    await page.goto('about:blank');
    await page.goto(`${server.url}/approvals/${id}`);
    await page.getByText('4 accepted, 0 rejected, 0 undecided').waitFor();
    await expect
      .poll(async () => Object.keys((await client.reviews.get(id)).draft.decisions).length)
      .toBe(4);
    await visitor.close();
  });
});
