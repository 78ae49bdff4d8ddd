// A run that waits for a review in the browser before it writes: decided by keyboard, through a reload, in a second tab,
// while the server is started again and after the command was killed, until what was agreed to is written.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import type { Review } from '../../src/contract/review-api.ts';
import { BELIEVES_TESTS } from '../accounts/people.ts';
import { numbered, replyWith } from '../orchestrator/review-project.ts';
import { chromiumPath } from '../support/browser.ts';
import { closePage } from '../support/close-page.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';
import { createRunProject } from '../terminal/run-project.ts';
import type { RunProject, StartedRun } from '../terminal/run-project.ts';
import { newVisitor } from './visitor.ts';

const OLD = numbered(20);
const PATHS = Array.from({ length: 12 }, (_, at) => `t/f${String(at + 1).padStart(2, '0')}.txt`);
const [ACCEPTED, REJECTED] = [PATHS.slice(0, 5), PATHS.slice(5, 8)];
const [RANGE, SUGGESTED] = [PATHS[8]!, PATHS[9]!];

/** Of each file the same lines, those before them and after them as they were. */
const withLines = (...lines: readonly string[]) =>
  OLD.replace('line 9\nline 10\n', lines.map((line) => `${line}\n`).join(''));
const FIRST = withLines('nine', 'ten');

describe.skipIf(chromiumPath === undefined)('a run that is reviewed in the browser', () => {
  /** Keeps the database while the other one is away. */
  let keeper: TestServer;
  let server: TestServer;
  let project: RunProject;
  let started: StartedRun[] = [];
  beforeAll(async () => {
    keeper = await startTestServer(BELIEVES_TESTS);
    server = await startTestServer(BELIEVES_TESTS, keeper.databaseUrl);
    project = await createRunProject(server);
  });
  afterAll(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ ended }) => ended));
    await project?.remove();
    await server?.close();
    await keeper?.close();
  });

  async function prepare(): Promise<void> {
    const edit = (path: string, content: string) => ({ type: 'edit', path, content });
    const plan = [
      replyWith(PATHS.map((path) => edit(path, FIRST))),
      // The answer to what was asked for, and to what nobody asked for.
      replyWith([edit(RANGE, withLines('both in one')), edit(PATHS[0]!, OLD)], 'a-fix-1'),
    ];
    const stream = { name: 'A', owns: ['t/*.txt'], plan: plan.join('\n') };
    const manifest = { feature: 'R', model: 'sim-instant', streams: { a: stream } };
    await project.write('m.yaml', JSON.stringify(manifest));
    await mkdir(join(project.folder, 't'));
    for (const path of PATHS) await project.write(path, OLD);
  }

  function run(): StartedRun {
    const one = project.start(['run', 'm.yaml', '--review-in', 'web', '--yes']);
    started.push(one);
    return one;
  }

  const client = () => new MillraceClient(server.url, project.settings['MILLRACE_API_KEY']!);

  const nextReview = (not: readonly string[] = []): Promise<Review> =>
    waitUntil(async () => {
      const { items } = await client().approvals.list({ status: 'open' });
      const found = items.find(({ id, hasReview }) => hasReview && !not.includes(id));
      const one = found && (await client().reviews.get(found.id));
      return one?.state === 'open' ? one : undefined;
    }, 'a review that is open');

  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** The hunk of the file has the focus. */
  const at = (page: Page, path: string) =>
    page
      .locator('[data-unit]:focus')
      .and(page.getByRole('group', { name: `of ${path}` }))
      .waitFor();
  const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();

  it('loses nothing, makes only what is asked for, and writes what was agreed to', async () => {
    verifies('reviews.held-round');
    const visitor = await newVisitor(server);
    const { page } = visitor;
    project.settings['MILLRACE_API_KEY'] = visitor.key;
    await prepare();
    const killed = run();
    const first = await nextReview();
    await visitor.open(`/approvals/${first.approvalId}`);
    await page.getByText('0 accepted, 0 rejected, 12 undecided').waitFor();
    await press(page, 'j');
    for (const path of ACCEPTED.slice(0, 3)) {
      await at(page, path);
      await press(page, 'y');
    }
    await saved(page);
    // A second tab has all of it, and what it says is in the first one.
    const second = await visitor.context.newPage();
    await second.goto(page.url());
    await second.getByText('3 accepted, 0 rejected, 9 undecided').waitFor();
    await press(second, ']', ']', ']', ']');
    await at(second, ACCEPTED[3]!);
    await press(second, 'y');
    await page.getByText('4 accepted, 0 rejected, 8 undecided').waitFor();
    await closePage(second);
    await page.reload();
    await page.getByText('4 accepted, 0 rejected, 8 undecided').waitFor();
    await press(page, ']', ']', ']', ']', ']');
    await at(page, ACCEPTED[4]!);
    await press(page, 'y');
    await saved(page);
    // The command is gone, and the server with it.
    killed.child.kill('SIGKILL');
    await killed.ended;
    const port = Number(new URL(server.url).port);
    await server.close();
    for (const path of REJECTED) {
      await at(page, path);
      await press(page, 'n');
    }
    await page.getByText('Not saved yet: trying again').waitFor();
    server = await startTestServer({ ...BELIEVES_TESTS, port }, keeper.databaseUrl);
    await saved(page);
    const waiting = run();
    // Both lines that come, and one of them with other words.
    await at(page, RANGE);
    await press(page, 'c');
    await page.keyboard.type('One line for both.');
    await press(page, 'Control+Enter');
    await page.getByText('One line for both.').waitFor();
    await press(page, ']');
    await at(page, SUGGESTED);
    const line = page.locator('[data-line="10"][data-side="new"]:focus');
    for (let pressed = 0; (await line.count()) === 0 && pressed < 20; pressed++) {
      await press(page, 'ArrowDown');
    }
    await press(page, 'c', 'Tab', 'Space', 'Tab', 'Control+a');
    await page.keyboard.type('TEN');
    await press(page, 'Control+Enter');
    await page.getByText('5 accepted, 3 rejected, 4 undecided').waitFor();
    await saved(page);
    await press(page, 'f', 'Tab');
    expect(await page.getByRole('radio', { name: 'Ask for changes' }).isChecked()).toBe(true);
    await press(page, 'Tab', 'Tab', 'Tab', 'Enter');
    // What was asked for is made, and the page leads to it.
    const next = page.getByRole('link', { name: 'A newer review is waiting' });
    await next.focus({ timeout: 60_000 });
    await press(page, 'Enter');
    await page.getByText('Round 2.').waitFor();
    const round = await nextReview([first.approvalId]);
    expect(new URL(page.url()).pathname).toBe(`/approvals/${round.approvalId}`);
    expect(round.files.map(({ path }) => path).sort()).toEqual(
      PATHS.filter((path) => !REJECTED.includes(path)),
    );
    await page.getByText('5 accepted, 0 rejected, 4 undecided').waitFor();
    for (const path of PATHS) expect(await project.read(path), path).toBe(OLD);
    const outdated = page.getByRole('region', { name: RANGE }).getByRole('article');
    await press(page, ...PATHS.slice(0, 6).map(() => ']'));
    await at(page, RANGE);
    await outdated.getByText('Outdated').waitFor();
    expect(await outdated.innerText()).toMatch(/One line for both\.[^]*nine\s+ten|nine\s+ten/);
    await visitor.expectAccessible();
    await press(page, 'y', 'y', 'y', 'y');
    await page.getByText('9 accepted, 0 rejected, 0 undecided').waitFor();
    await press(page, 'f', 'Tab', 'Tab', 'Tab', 'Tab', 'Enter');
    expect(await waiting.ended, waiting.stderr()).toBe(0);
    const wanted = (path: string) => {
      if (REJECTED.includes(path)) return OLD;
      if (path === RANGE) return withLines('both in one');
      return path === SUGGESTED ? withLines('nine', 'TEN') : FIRST;
    };
    for (const path of PATHS) expect(await project.read(path), path).toBe(wanted(path));
    // Two answers of a model: the suggestion cost none.
    const { body } = await server.call('GET', '/api/v1/jobs', { key: visitor.key });
    expect(body['items']).toHaveLength(2);
    await visitor.close();
  });
});
