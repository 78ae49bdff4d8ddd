// What an execution has made, reviewed in the browser before it is written: the tab of its changes shows the command, then
// the review that the command has opened; decided by keyboard, through a reload and after the command was killed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { artifactOf, clientOf, planOf, replyOf } from '../executions/execution.ts';
import { chromiumPath } from '../support/browser.ts';
import { createRunProject } from '../terminal/run-project.ts';
import type { RunProject, StartedRun } from '../terminal/run-project.ts';
import { useVisitor } from './use-visitor.ts';

const NAMES = ['a.txt', 'b.txt', 'c.txt'];
const create = (path: string, content = `${path}\n`) => ({ type: 'create', path, content });

describe.skipIf(chromiumPath === undefined)('an execution that is reviewed', () => {
  const { server, visitor } = useVisitor();
  let project: RunProject;
  let started: StartedRun[] = [];
  beforeEach(async () => {
    project = await createRunProject(server());
    project.settings['MILLRACE_API_KEY'] = visitor().key;
  });
  afterEach(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ ended }) => ended));
    started = [];
    await project.remove();
  });

  async function execute(): Promise<string> {
    const executions = clientOf(server(), visitor().key);
    const task = [
      'Write the files.',
      planOf({ first: 'owns: [a.txt, b.txt, c.txt]' }),
      replyOf('first', artifactOf(NAMES.map((path) => create(path)))),
      replyOf('first-fix-1', artifactOf([create('b.txt', 'better\n')])),
    ];
    const id = await executions.start(task.join('\n'));
    expect((await executions.ended(id)).status).toBe('completed');
    return id;
  }

  function apply(id: string): StartedRun {
    const one = project.start(['apply', id, '--review-in', 'web', '--yes']);
    started.push(one);
    return one;
  }

  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** The hunk of the file has the focus. */
  const at = (page: Page, path: string) =>
    page
      .locator('[data-unit]:focus')
      .and(page.getByRole('group', { name: `of ${path}` }))
      .waitFor();
  const holds = (path: string) => existsSync(join(project.folder, path));

  it('shows the command, its review, and what became of it', async () => {
    const { page } = visitor();
    const id = await execute();
    const tab = `/executions/${id}?tab=changes`;
    await visitor().open(tab);
    await page.getByText('Review hunk by hunk').focus();
    await press(page, 'Enter');
    await page.getByText(new RegExp(`apply ${id} --review-in web`)).waitFor();
    await page.getByText(new RegExp(`review ${id} --review-in web`)).waitFor();
    await visitor().expectAccessible();
    const killed = apply(id);
    // It comes without a reload.
    const waiting = page.getByRole('link', { name: `Review ${id}: 3 files, +3 -0` });
    await waiting.focus();
    await press(page, 'Enter');
    await page.getByText('0 accepted, 0 rejected, 3 undecided').waitFor();
    await press(page, 'j');
    await at(page, 'a.txt');
    await press(page, 'y');
    await at(page, 'b.txt');
    await press(page, 'c');
    await page.keyboard.type('Better!');
    await press(page, 'Control+Enter', ']');
    await at(page, 'c.txt');
    await press(page, 'n');
    await page.getByText('Saved', { exact: true }).waitFor();
    killed.child.kill('SIGKILL');
    await killed.ended;
    await page.reload();
    await page.getByText('1 accepted, 1 rejected, 1 undecided').waitFor();
    await page.getByText('Better!').waitFor();
    await press(page, 'f', 'Tab');
    expect(await page.getByRole('radio', { name: 'Ask for changes' }).isChecked()).toBe(true);
    await press(page, 'Tab', 'Tab', 'Tab', 'Enter');
    // Nobody waits for it: the page has the command that carries it out.
    await page.getByText(new RegExp(`apply ${id} --review-in web`)).waitFor();
    expect(NAMES.map(holds)).toEqual([false, false, false]);
    const run = apply(id);
    await page.getByRole('link', { name: 'A newer review is waiting' }).click();
    await page.getByText('Round 2.').waitFor();
    await page.getByText('1 accepted, 0 rejected, 1 undecided').waitFor();
    expect(NAMES.map(holds)).toEqual([false, false, false]);
    // From here back to what was executed.
    await page.getByRole('link', { name: id, exact: true }).click();
    await page.getByRole('link', { name: `Review ${id}, round 2: 2 files, +2 -0` }).click();
    await page.getByText('1 accepted, 0 rejected, 1 undecided').waitFor();
    await press(page, 'j', ']');
    await at(page, 'b.txt');
    await press(page, 'y');
    await page.getByText('2 accepted, 0 rejected, 0 undecided').waitFor();
    await press(page, 'f', 'Tab', 'Tab', 'Tab', 'Tab', 'Enter');
    expect(await run.ended, run.stderr()).toBe(0);
    await page.getByText('Carried out').waitFor();
    expect(NAMES.map(holds)).toEqual([true, true, false]);
    expect(await project.read('b.txt')).toBe('better\n');
    await visitor().open(tab);
    await page.getByText('Review hunk by hunk').waitFor();
    visitor().expectQuiet();
  });
});
