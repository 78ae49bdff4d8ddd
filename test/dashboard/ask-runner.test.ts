// Buttons that ask a runner for something, with one that only takes requests: what it is given is what counts.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import type { RunRequestOutcome, RunRequestWork } from '../../src/contract/run-request-api.ts';
import { announce, findRequest, requestRun } from '../runners/fake-runner.ts';
import type { FakeRunner } from '../runners/fake-runner.ts';
import { chromiumPath } from '../support/browser.ts';
import { askReview, changedFile } from './asked-review.ts';
import { reportRun } from './reported-run.ts';
import { useVisitor } from './use-visitor.ts';

const RUN = 'run_of_runner';
const IN_PLACE = 'run_in_place';
const BRANCH = 'millrace/shelves';
const MANIFEST = `feature: Shelves
streams:
  a:
    name: About a
    owns: [out/a.md]
    plan: Write it
`;
/** As one that came with a request has it. */
const FILE = '../home/state/millrace/runner/requests/rreq_x/millrace.yaml';

describe.skipIf(chromiumPath === undefined)('what a page asks of a runner', () => {
  const { server, visitor } = useVisitor();
  let key: string;
  let runner: FakeRunner;

  /** Made by the runner: it has taken a request for it, and said so. */
  async function makeRun(
    runId: string,
    work: Record<string, unknown>,
    started: object,
  ): Promise<string> {
    const id = await requestRun(server(), key, work);
    const [taken] = await runner.take();
    await runner.say(taken!, 'progress', { runId });
    await runner.end(taken!);
    const run = { file: FILE, args: ['--model', 'sim-fast'], ...started };
    await reportRun(server(), key, runId, { end: 'failed', manifest: MANIFEST, started: run });
    return id;
  }

  beforeAll(async () => {
    ({ key } = await server().createKey({ email: visitor().person.email, scopes: [...SCOPES] }));
    const projects = [{ name: 'shop', inPlace: true, manifests: ['millrace.yaml'] }];
    runner = await announce(server(), key, { name: 'maker <b>', labels: ['gpu'], projects });
    const branch = { name: BRANCH, base: 'a'.repeat(40), origin: RUN };
    await makeRun(RUN, { model: 'sim-fast', maxCostUsd: 2 }, { branch, maxCostUsd: 2 });
    await makeRun(IN_PLACE, { inPlace: true }, {});
  });
  beforeEach(() => runner.poll({ free: 0 }));

  /** What the runner gets, which it then does. */
  async function given(outcome: Partial<RunRequestOutcome> = {}): Promise<Partial<RunRequestWork>> {
    const { page } = visitor();
    await page.waitForURL(/\/requests\/rreq_/);
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    const [taken] = await runner.take();
    expect(taken!.id).toBe(id);
    await runner.say(taken!, 'end', { status: 'completed', outcome });
    runner.running = [];
    await page.getByRole('heading', { name: 'Outcome' }).waitFor();
    const { project, inPlace, openRequest, labels, priority, ...work } = taken!.work;
    expect({ project, inPlace, openRequest, labels, priority }).toEqual({
      project: 'shop',
      inPlace: false,
      openRequest: false,
      labels: [],
      priority: 0,
    });
    return work;
  }

  const dialog = (name: string) => visitor().page.getByRole('dialog', { name });
  async function openDialog(button: string, { menu = false, runId = RUN } = {}): Promise<void> {
    const { page } = visitor();
    await visitor().open(`/runs/${runId}`);
    if (menu) await page.getByRole('button', { name: 'More' }).click();
    const role = menu ? 'menuitem' : 'button';
    await page.getByRole(role, { name: button, exact: true }).click();
  }
  const millrace = (words: string) =>
    `millrace --url ${server().url} requests create --project shop --run ${words} --wait`;

  it('resumes a run, with the command by its id', async () => {
    await openDialog('Run again');
    const at = dialog('Run again');
    await at.getByText('The runner maker <b> made this run and does it.').waitFor();
    await at.getByText(`It continues on the branch ${BRANCH}.`).waitFor();
    const command = at.getByLabel('Command', { exact: true });
    expect(await command.textContent()).toBe(millrace(`${RUN} --action resume`));
    await visitor().expectAccessible();
    await at.getByRole('button', { name: 'Resume the run' }).click();
    expect(await given()).toEqual({ run: { id: RUN, action: 'resume' } });
  });

  it('runs it again from a stream, on its branch', async () => {
    await openDialog('Run again');
    const at = dialog('Run again');
    await at.getByRole('button', { name: 'From a stream' }).click();
    await at.getByRole('combobox', { name: 'Stream' }).selectOption('b');
    await at.getByText(`It continues on the branch ${BRANCH}.`).waitFor();
    await at.getByRole('button', { name: 'Run it from there' }).click();
    expect(await given()).toEqual({ run: { id: RUN, action: 'again' }, from: 'b' });
  });

  it('runs everything again on a new branch, with another budget', async () => {
    await openDialog('Run again');
    const at = dialog('Run again');
    await at.getByRole('button', { name: 'Everything' }).click();
    await at.getByText('It begins on a new branch').waitFor();
    const budget = at.getByRole('spinbutton', { name: 'Budget in dollars' });
    expect(await budget.getAttribute('placeholder')).toBe('2');
    await budget.fill('3.5');
    const command = at.getByLabel('Command', { exact: true });
    expect(await command.textContent()).toBe(millrace(`${RUN} --action again --max-cost 3.5`));
    await at.getByRole('button', { name: 'Run it again' }).click();
    expect(await given()).toEqual({ run: { id: RUN, action: 'again' }, maxCostUsd: 3.5 });
  });

  it('forks it with another model', async () => {
    await openDialog('Fork', { menu: true });
    const at = dialog('Fork this run');
    expect(await at.getByLabel('Revert what this run changed').count()).toBe(0);
    await at.getByRole('combobox', { name: 'Model' }).fill('sim-slow');
    await at.getByText('It begins on a new branch').waitFor();
    await visitor().expectAccessible();
    await at.getByRole('button', { name: 'Run it with this model' }).click();
    expect(await given()).toEqual({ run: { id: RUN, action: 'again' }, model: 'sim-slow' });
  });

  it('forks it with a changed manifest, from the editor', async () => {
    const { page } = visitor();
    await openDialog('Fork', { menu: true });
    const at = dialog('Fork this run');
    await at.getByRole('button', { name: 'Changed manifest' }).click();
    await at.getByText('a runner of shop makes the run').waitFor();
    expect(await at.getByLabel('Command', { exact: true }).count()).toBe(0);
    await at.getByRole('button', { name: 'Open in the editor' }).click();
    await page.getByRole('link', { name: 'Run it on a runner' }).waitFor();
    await page.getByText('millrace-fork.yaml').first().waitFor();
    await visitor().expectAccessible();
    await page.getByRole('link', { name: 'Run it on a runner' }).click();
    await page.getByRole('textbox', { name: 'Manifest in YAML' }).waitFor();
    await page.getByRole('button', { name: 'Start the run' }).click();
    const { manifest, ...rest } = await given();
    expect((manifest as { text: string }).text).toContain('feature: Shelves');
    expect(rest).toEqual({ model: 'sim-fast', maxCostUsd: 2 });
  });

  it('reverts it, with its branch', async () => {
    await openDialog('Revert changes', { menu: true });
    const at = dialog('Revert the changes of this run');
    await at.getByText(`The branch ${BRANCH} is deleted`).waitFor();
    await at.getByRole('button', { name: 'Revert the changes' }).click();
    expect(await given()).toEqual({ run: { id: RUN, action: 'revert' } });
  });

  it('has it reviewed, and says where a review waits', async () => {
    const { page } = visitor();
    await visitor().open(`/runs/${RUN}?tab=changes`);
    await page.getByText('Review hunk by hunk').click();
    await page.getByRole('button', { name: 'Review in the browser' }).click();
    await page.waitForURL(/\/requests\/rreq_/);
    const files = [changedFile('out/a.md', null, 'About a\n')];
    const { id } = await askReview(server(), key, files, { approval: { runId: RUN } });
    const link = page.getByRole('link', { name: /^Review of/ });
    await link.waitFor();
    await visitor().expectAccessible();
    await link.click();
    await page.getByRole('button', { name: 'Finish', exact: true }).click();
    await page.getByRole('radio', { name: 'Apply accepted' }).check();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    // The request that asked is still at it.
    const submitted = page.getByRole('region', { name: 'Submitted' });
    await submitted.getByRole('link', { name: 'Review a run' }).click();
    expect(await given()).toEqual({ run: { id: RUN, action: 'review' } });
    // Ended without carrying it out: a button has that done.
    await visitor().open(`/approvals/${id}`);
    await submitted.getByRole('button', { name: 'Carry it out' }).click();
    expect(await given()).toEqual({ run: { id: RUN, action: 'review' } });
  });

  it('opens its pull request, which the page then leads to, and fixes it', async () => {
    const { page } = visitor();
    await openDialog('Pull request', { menu: true });
    const requestUrl = 'https://forge.example.com/o/r/pull/1';
    expect(await given({ requestUrl })).toEqual({ run: { id: RUN, action: 'request' } });
    await openDialog('Fix the pull request', { menu: true });
    expect(await given()).toEqual({ run: { id: RUN, action: 'fix' } });
    await visitor().open(`/runs/${RUN}`);
    const link = page.getByRole('link', { name: 'Open the pull request' });
    expect(await link.getAttribute('href')).toBe(requestUrl);
    await openDialog('Update the pull request', { menu: true });
    // Not a page: nothing leads there.
    await given({ requestUrl: 'javascript:alert(1)' });
    await visitor().open(`/runs/${RUN}`);
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
  });

  it('leaves to a command what is more than one request, and pull requests without a branch', async () => {
    const { page } = visitor();
    await openDialog('Fork', { menu: true, runId: IN_PLACE });
    const at = dialog('Fork this run');
    await at.getByRole('combobox', { name: 'Model' }).fill('sim-slow');
    const command = at.getByLabel('Command', { exact: true });
    expect(await command.textContent()).toBe(
      [
        `${millrace(`${IN_PLACE} --action revert`)} &&`,
        `  ${millrace(`${IN_PLACE} --action again --model sim-slow`)}`,
      ].join('\n'),
    );
    await at.getByLabel('Revert what this run changed').uncheck();
    await at.getByRole('button', { name: 'Run it with this model' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Fork' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Pull request' }).count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  it('plans a task with the files of its project, to be changed and run there', async () => {
    const { page } = visitor();
    await visitor().open('/new');
    await page.getByRole('textbox', { name: 'Task' }).fill('Change a');
    await page.getByRole('combobox', { name: 'Plan with' }).selectOption('shop');
    await page.getByText('A runner of shop plans as you').waitFor();
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByText('Waiting: A runner is about to take it.').waitFor();
    const [failing] = await runner.take();
    expect(failing!.work).toMatchObject({ project: 'shop', task: 'Change a', planOnly: true });
    const refusal = { failure: 'failed', message: 'The model has no key.' };
    await runner.say(failing!, 'end', { status: 'failed', outcome: refusal });
    runner.running = [];
    await page.getByText('The model has no key.').waitFor();
    // It can be asked for again; from the form of a new run as well.
    await visitor().open('/requests/new?project=shop');
    await page.getByRole('textbox', { name: 'Task' }).fill('Change a');
    await page.getByRole('combobox', { name: 'Model' }).fill('sim-slow');
    await page.getByRole('button', { name: 'Plan it first' }).click();
    await page.waitForURL('**/new');
    const [taken] = await runner.take();
    expect(taken!.work).toMatchObject({ task: 'Change a', planOnly: true, model: 'sim-slow' });
    await page.getByText('The runner maker <b> plans with the files of shop.').waitFor();
    await runner.say(taken!, 'end', { status: 'completed', outcome: { manifest: MANIFEST } });
    runner.running = [];
    await page.getByRole('heading', { name: 'Plan: Shelves' }).waitFor();
    await visitor().expectAccessible();
    await page.getByRole('link', { name: 'Run it on a runner' }).click();
    await page.getByRole('button', { name: 'Start the run' }).click();
    expect(await given()).toEqual({ manifest: { text: MANIFEST }, model: 'sim-slow' });
    // The request itself shows the plan, and lists leave it out.
    await visitor().open(`/requests/${taken!.id}`);
    await page.getByRole('link', { name: 'Run it on a runner' }).waitFor();
    expect(await page.getByRole('link', { name: 'Ask again' }).count()).toBe(0);
    const listed = await server().call('GET', '/v1/run-requests?limit=50', { key });
    const items = listed.body['items'] as { id: string; outcome: object }[];
    expect(items.find(({ id }) => id === taken!.id)!.outcome).toEqual({ message: '' });
    const one = await findRequest(server(), key, taken!.id);
    expect(one).toMatchObject({ outcome: { manifest: MANIFEST } });
  });

  // Last: from here on it takes nothing.
  it('shows the command alone as soon as the runner takes nothing any more', async () => {
    const { page } = visitor();
    await openDialog('Run again');
    const at = dialog('Run again');
    await at.getByRole('button', { name: 'Resume the run' }).waitFor();
    await server().call('PATCH', `/v1/runners/${runner.id}`, { key, body: { draining: true } });
    await at.getByText('made this run and takes nothing now').waitFor();
    expect(await at.getByRole('button', { name: 'Resume the run' }).count()).toBe(0);
    const command = at.getByLabel('Command', { exact: true });
    expect(await command.textContent()).toBe(millrace(`${RUN} --action resume`));
    await visitor().open('/new');
    expect(await page.getByRole('combobox', { name: 'Plan with' }).count()).toBe(0);
  });
});
