// The pages of triggers, called by real HTTP as their senders do it.
import { beforeAll, describe, expect, it } from 'vitest';
import { endRequests, requestsOf } from '../schedules/schedules.ts';
import type { Owner } from '../schedules/schedules.ts';
import { chromiumPath } from '../support/browser.ts';
import { githubComment, githubLabelled } from '../triggers/payloads.ts';
import {
  GITHUB,
  URL_,
  call,
  createTrigger,
  deliveriesOf,
  findTrigger,
  sendGithub,
} from '../triggers/triggers.ts';
import { HOSTILE, LONG, expectNarrow, ownerOf } from './starters.ts';
import { tabTo } from './tab-to.ts';
import { useVisitor } from './use-visitor.ts';
import { newViewer } from './visitor.ts';

const idIn = (url: string) => new URL(url).pathname.split('/')[2]!;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe.skipIf(chromiumPath === undefined)('triggers, in the dashboard', () => {
  const { server, visitor } = useVisitor();
  let owner: Owner;
  beforeAll(async () => {
    owner = await ownerOf(server(), visitor());
  });

  it('of a URL show their token once, and it works', async () => {
    const { page } = visitor();
    await visitor().open('/triggers');
    await page.getByText('No triggers yet').waitFor();
    await visitor().expectAccessible();
    await page.getByRole('link', { name: 'New trigger' }).click();
    await page.getByRole('button', { name: 'A URL' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('From CI');
    const task = page.getByRole('textbox', { name: 'Task' });
    const submit = page.getByRole('button', { name: 'Create the trigger' });
    await task.fill('Deploy {{issue.title}}');
    await page.getByText('names {{issue.title}}, which is not known').waitFor();
    expect(await submit.isDisabled()).toBe(true);
    await task.fill('Deploy {{values.env}}');
    await page.getByText('What the task and the branch may name').click();
    await page.getByText('{{values.env}}', { exact: true }).last().waitFor();
    await visitor().expectAccessible();
    await submit.click();
    const dialog = page.getByRole('dialog', { name: 'Token of the trigger' });
    const token = (await dialog.getByLabel('token', { exact: true }).textContent())!;
    expect(token).toMatch(/^mill_tg_/);
    await visitor().expectAccessible();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'From CI' }).waitFor();
    const { id, url } = await findTrigger(owner, idIn(page.url()));
    const shown = page.getByLabel('URL of the trigger', { exact: true });
    expect(await shown.textContent()).toBe(url);
    await page.reload();
    await page.getByText('Nothing came yet').waitFor();
    expect(await page.content()).not.toContain(token);
    await visitor().expectAccessible();
    const answer = await call(server(), id, '{"values":{"env":"prod"}}', bearer(token));
    expect(answer.status).toBe(202);
    // Without a reload.
    const log = page.getByRole('region', { name: 'Deliveries' });
    await log.getByRole('link', { name: `Request ${String(answer.body['requestId'])}` }).click();
    await page.getByRole('heading', { name: 'Deploy' }).waitFor();
    await page.getByRole('link', { name: 'a trigger' }).click();
    await page.getByRole('heading', { name: 'From CI' }).waitFor();
  });

  it('of a forge are created by keyboard, with the steps that are left', async () => {
    const { page } = visitor();
    await visitor().open('/runs');
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('heading', { name: 'Triggers' }).waitFor();
    const begin = page.getByRole('link', { name: 'New trigger' });
    await begin.waitFor();
    await tabTo(begin);
    await page.keyboard.press('Enter');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.waitFor();
    await tabTo(name);
    await page.keyboard.type('On comment');
    await tabTo(page.getByRole('textbox', { name: 'Repository' }));
    await page.keyboard.type('example/shop');
    await tabTo(page.getByRole('checkbox', { name: 'An issue gets a label' }));
    await page.keyboard.press('Space');
    await tabTo(page.getByRole('checkbox', { name: 'A comment has a line' }));
    await page.keyboard.press('Space');
    await tabTo(page.getByRole('textbox', { name: 'Commands' }));
    await page.keyboard.type('fix');
    await page.keyboard.press('Enter');
    await page.keyboard.type('try');
    await tabTo(page.getByRole('textbox', { name: 'Task' }));
    await page.keyboard.type('Fix {{issue.title}}');
    await tabTo(page.getByRole('textbox', { name: 'Branch' }));
    await page.keyboard.type('millrace/{{{{issue.number}}');
    await page.getByText('The branch has').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('millrace/{{issue.number}}');
    await tabTo(page.getByRole('button', { name: 'Create the trigger' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Secret of the trigger' });
    const secret = (await dialog.getByLabel('secret', { exact: true }).textContent())!;
    await page.keyboard.press('Escape');
    const steps = page.getByRole('list', { name: 'Steps at GitHub' });
    await steps.getByText('Choose these events: Issue comments.').waitFor();
    await page.getByText('Set MILLRACE_PUBLIC_URL of the server').waitFor();
    const trigger = await findTrigger(owner, idIn(page.url()));
    expect(trigger).toMatchObject({
      kind: 'github',
      repository: 'example/shop',
      events: ['comment'],
      filters: { commands: ['fix', 'try'] },
      overlap: 'queue',
      work: { task: 'Fix {{issue.title}}', branch: 'millrace/{{issue.number}}' },
    });
    await page.getByRole('button', { name: 'Show what it would ask for' }).click();
    await page.getByText('millrace/12', { exact: true }).waitFor();
    await page.getByLabel('Task', { exact: true }).last().getByText('> The search').waitFor();
    await visitor().expectAccessible();
    const sent = await sendGithub(
      server(),
      { id: trigger.id, secret },
      'issue_comment',
      githubComment('/millrace fix it'),
    );
    expect(sent.status).toBe(202);
    const log = page.getByRole('region', { name: 'Deliveries' });
    await log.getByText('issue_comment').waitFor();
    await log.getByText('by octocat').waitFor();
    await log.getByRole('link', { name: `Request ${sent.body.requestId}` }).waitFor();
  });

  it('show what the server refuses, beside the field', async () => {
    const { page } = visitor();
    await visitor().open('/triggers/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('Refused');
    const repository = page.getByRole('textbox', { name: 'Repository' });
    await repository.fill('example/group/shop');
    await page.getByRole('textbox', { name: 'Task' }).fill('x');
    await page.getByRole('button', { name: 'Create the trigger' }).click();
    await page.getByText('repository must be like owner/name').first().waitFor();
    expect(await repository.getAttribute('aria-invalid')).toBe('true');
    await repository.fill('example/shop');
    await page.getByRole('checkbox', { name: 'A comment has a line' }).check();
    const commands = page.getByRole('textbox', { name: 'Commands' });
    await commands.fill('Not a word');
    await page.getByRole('button', { name: 'Create the trigger' }).click();
    await page.getByText('must be a word such as fix').first().waitFor();
    expect(await commands.getAttribute('aria-invalid')).toBe('true');
    // GitLab sends no reviews, and has groups in groups.
    await page.getByRole('button', { name: 'GitLab' }).click();
    expect(await page.getByRole('checkbox', { name: 'A review' }).count()).toBe(0);
    visitor().forgetRefusals();
  });

  it('have a log of what started nothing, and why, and of replays', async () => {
    const { page } = visitor();
    const trigger = await createTrigger(owner, { ...GITHUB, filters: { labels: ['agent'] } });
    const other = githubLabelled({ label: { id: 4, name: 'bug', color: 'd73a4a' } });
    await sendGithub(server(), trigger, 'issues', other);
    expect((await call(server(), trigger.id, '{}')).status).toBe(401);
    await visitor().open(`/triggers/${trigger.id}`);
    const log = page.getByRole('region', { name: 'Deliveries' });
    await log.getByText('Ignored').waitFor();
    await log.getByText('None of its labels is one of the trigger').waitFor();
    await page.getByText('1 call did not show the secret').waitFor();
    await visitor().expectAccessible();
    const [ignored] = await deliveriesOf(owner, trigger.id);
    const again = page.getByRole('button', { name: `Replay ${ignored!.id}` });
    await again.click();
    await page.getByText('Nothing was started. None of its labels').waitFor();
    await log.getByText('replayed').waitFor();
    const body = { filters: {} };
    await server().call('PATCH', `/v1/triggers/${trigger.id}`, { key: owner.key, body });
    await again.click();
    await page.getByText('A run was asked for.').waitFor();
    const [request] = await requestsOf(owner, trigger.id);
    await log.getByRole('link', { name: `Request ${request!.id}` }).waitFor();
    // What happens to it is news.
    await server().call('POST', `/v1/run-requests/${request!.id}/cancel`, { key: owner.key });
    await log.getByText('Cancelled').waitFor();
    await visitor().open('/triggers');
    const row = page.getByRole('row', { name: 'Fix on label' });
    await row.getByRole('link', { name: `Request ${request!.id}` }).waitFor();
  });

  it('get a new secret by a button, shown once, and the old one ends at once if it must', async () => {
    const { page } = visitor();
    const { id, secret: first } = await createTrigger(owner, URL_);
    await visitor().open(`/triggers/${id}`);
    const rotate = async (atOnce: boolean) => {
      await page.getByRole('button', { name: 'Rotate token' }).click();
      if (atOnce) await page.getByLabel('End the token of before at once').check();
      await visitor().expectAccessible();
      await page.getByRole('button', { name: 'Rotate the token' }).click();
      const dialog = page.getByRole('dialog', { name: 'Token of the trigger' });
      const token = (await dialog.getByLabel('token', { exact: true }).textContent())!;
      await dialog.getByRole('button', { name: 'Done' }).click();
      await dialog.waitFor({ state: 'detached' });
      return token;
    };
    const second = await rotate(false);
    for (const token of [first, second]) {
      expect((await call(server(), id, undefined, bearer(token))).status).toBe(202);
    }
    const third = await rotate(true);
    expect((await call(server(), id, undefined, bearer(second))).status).toBe(401);
    expect((await call(server(), id, undefined, bearer(third))).status).toBe(202);
    await page.reload();
    await page.getByRole('button', { name: 'Rotate token' }).waitFor();
    expect(await page.content()).not.toContain(third);
  });

  it('keep what is not changed, are paused with a reason, and are deleted after a question', async () => {
    const { page } = visitor();
    const filters = { labels: ['a, b', 'agent*'], authors: ['octocat'] };
    const work = { ...GITHUB.work, labels: ['gpu'], priority: 3, model: 'sim-instant' };
    const made = await createTrigger(owner, {
      ...GITHUB,
      name: 'Kept',
      filters,
      work,
      pauseAfterFailures: 1,
      budgetUsdPerMonth: 8,
    });
    await visitor().open(`/triggers/${made.id}`);
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('checkbox', { name: 'Commits are pushed' }).uncheck();
    await page.getByRole('textbox', { name: 'Authors' }).fill('octocat\nhubot');
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Save the trigger' }).click();
    await page.getByRole('heading', { name: 'Kept' }).waitFor();
    expect(await findTrigger(owner, made.id)).toMatchObject({
      name: 'Kept',
      repository: GITHUB.repository,
      events: ['issue_labeled', 'comment', 'check_failed', 'review'],
      filters: { ...filters, authors: ['octocat', 'hubot'] },
      work,
      pauseAfterFailures: 1,
      budgetUsdPerMonth: 8,
    });
    const { secret } = made;
    const comment = (text: string) => githubComment(text, { sender: { login: 'octocat' } });
    await sendGithub(server(), { id: made.id, secret }, 'issue_comment', comment('/millrace one'));
    await endRequests(owner, made.id, 'failed');
    await sendGithub(server(), { id: made.id, secret }, 'issue_comment', comment('/millrace two'));
    await visitor().open(`/triggers/${made.id}`);
    const notice = page.getByRole('status').getByText('its runs failed too often in a row');
    await notice.waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await notice.waitFor({ state: 'detached' });
    expect((await findTrigger(owner, made.id)).status).toBe('active');
    await page.getByRole('button', { name: 'Delete' }).click();
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Delete the trigger' }).click();
    await page.getByText('The trigger was deleted.').waitFor();
    await page.getByRole('heading', { name: 'Triggers' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Kept' }).count()).toBe(0);
  });

  it('are looked at by viewers, who change nothing', async () => {
    const { id, secret } = await createTrigger(owner, { ...URL_, name: 'Looked at' });
    await call(server(), id, undefined, bearer(secret));
    const viewer = await newViewer(server(), visitor().person);
    await viewer.open('/triggers');
    await viewer.page.getByRole('link', { name: 'Looked at' }).waitFor();
    expect(await viewer.page.getByRole('link', { name: 'New trigger' }).count()).toBe(0);
    await viewer.open(`/triggers/${id}`);
    const log = viewer.page.getByRole('region', { name: 'Deliveries' });
    await log.getByRole('link', { name: /^Request / }).waitFor();
    for (const name of ['Rotate', 'Pause', 'Delete', 'Replay', 'Show what']) {
      expect(
        await viewer.page.getByRole('button', { name, exact: name === 'Pause' }).count(),
        name,
      ).toBe(0);
    }
    expect(await viewer.page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
    await viewer.open('/triggers/new');
    await viewer.page.getByText('You are a viewer of this team').waitFor();
    viewer.expectQuiet();
    await viewer.close();
  });

  it('keep hostile and long names in their place, and fit on a phone', async () => {
    const { page } = visitor();
    const { id } = await createTrigger(owner, {
      ...GITHUB,
      name: HOSTILE,
      filters: { labels: [HOSTILE.replace('\u202e', ''), LONG] },
    });
    const long = await createTrigger(owner, {
      ...GITHUB,
      name: LONG,
      repository: `example/${LONG}`,
    });
    await sendGithub(server(), long, 'issues', githubLabelled());
    await expectNarrow(visitor(), [
      '/triggers',
      `/triggers/${id}`,
      `/triggers/${long.id}`,
      `/triggers/${long.id}/edit`,
      '/triggers/new',
    ]);
    expect(await page.locator('img[src=x]').count()).toBe(0);
  });
});
