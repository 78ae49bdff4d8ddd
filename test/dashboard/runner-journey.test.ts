// From a sentence to a pull request and its fix, by buttons alone: a real runner over a real repository, and a forge.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../accounts/people.ts';
import { startForge } from '../git/forge-double.ts';
import type { ForgeDouble } from '../git/forge-double.ts';
import { gitIn } from '../git/repository.ts';
import type { Git } from '../git/repository.ts';
import { replyWith } from '../orchestrator/review-project.ts';
import { makeRunnerWorld } from '../runners/runner-world.ts';
import type { RunnerWorld } from '../runners/runner-world.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { chromiumPath } from '../support/browser.ts';
import { useVisitor } from './use-visitor.ts';

const REMOTE = 'https://forge.example.com/o/r.git';
const BRANCH = 'millrace/greeting';
const FILE = 'src/greet.ts';
const TEXT = `export const greet = () => 'hello';\n`;

describe.skipIf(chromiumPath === undefined || NO_SANDBOX !== undefined)('a runner', () => {
  const { server, visitor } = useVisitor();
  let world: RunnerWorld;
  let forge: ForgeDouble;
  /** The repository on the forge. */
  let there: Git;

  beforeAll(async () => {
    world = makeRunnerWorld();
    const { folder, git } = world.repository('shop', { [FILE]: TEXT });
    const bare = `${folder}.git`;
    gitIn(world.base)('clone', '-q', '--bare', folder, bare);
    git('remote', 'add', 'origin', REMOTE);
    forge = await startForge('github', bare);
    there = gitIn(bare);
    const home = join(world.base, 'home');
    const config = join(home, 'config', 'millrace');
    mkdirSync(config, { recursive: true });
    // Of the owner's own configuration: what that names the owner has chosen.
    writeFileSync(join(home, '.gitconfig'), `[url "${bare}"]\n\tinsteadOf = ${REMOTE}\n`);
    const forges = { 'forge.example.com': { kind: 'github', api: forge.url } };
    writeFileSync(join(config, 'config.yaml'), JSON.stringify({ forges }));
    const { key } = await server().createKey({ email: visitor().person.email, scopes: ['runner'] });
    await world.start(server(), key, { name: 'one', home, args: ['--project', folder] });
    await world.command(home, ['runner', 'env', 'shop', 'GH_TOKEN=token-of-me']);
  });
  afterAll(async () => {
    await world.remove();
    await forge.close();
  });

  const outcome = () => visitor().page.getByRole('heading', { name: 'Outcome' });

  it('makes what was asked for in words, is reviewed, opens a pull request and fixes it', async () => {
    const { page, context, person } = visitor();
    await context.clearCookies();
    await visitor().open('/');
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    visitor().forgetRefusals();
    await page.getByRole('link', { name: 'New run' }).click();
    await page.getByRole('textbox', { name: 'Task' }).fill(`Say it louder in ${FILE}`);
    await page.getByRole('combobox', { name: 'Model' }).fill('sim-instant');
    await page.getByRole('textbox', { name: 'Branch' }).fill(BRANCH);
    await page.getByRole('button', { name: 'Start the run' }).click();
    await outcome().waitFor();
    await page.getByRole('link', { name: 'Open the run' }).click();

    // A comment on a line, and changes that are asked for.
    await page.getByRole('tab', { name: /^Changes/ }).click();
    await page.getByText('Review hunk by hunk').click();
    await page.getByRole('button', { name: 'Review in the browser' }).click();
    const waiting = page.getByText('A review is waiting:').getByRole('link');
    await waiting.click();
    const file = page.getByRole('region', { name: FILE, exact: true });
    await file.getByRole('button', { name: 'Comment on line 2', exact: true }).click();
    const louder = [{ search: `'hello'`, replace: `'HELLO'` }];
    const answer = replyWith([{ type: 'edit', path: FILE, edits: louder }]);
    await page
      .getByRole('textbox', { name: 'Comment', exact: true })
      .fill(`In capitals. ${answer}`);
    await page.getByRole('button', { name: 'Add the comment' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Finish', exact: true }).click();
    await page.getByRole('radio', { name: 'Ask for changes' }).check();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByRole('link', { name: 'A newer review is waiting' }).click();
    await page.getByText('HELLO').first().waitFor();
    await page.getByRole('button', { name: 'Finish', exact: true }).click();
    await page.getByRole('radio', { name: 'Apply accepted' }).check();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByRole('heading', { name: 'Carried out' }).waitFor();
    const git = gitIn(join(world.base, 'shop'));
    expect(git('show', `${BRANCH}:${FILE}`)).toContain(`'HELLO'`);
    expect(git('show', `main:${FILE}`)).toBe(TEXT);

    // The pull request.
    const runLink = page.getByRole('main').getByRole('link', { name: /^run_/ }).first();
    await runLink.click();
    const more = async (item: string) => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
      await page.waitForURL(/\/requests\/rreq_/);
      await outcome().waitFor();
    };
    await more('Pull request');
    expect(forge.requests).toMatchObject([{ head: BRANCH, base: 'main', state: 'open' }]);
    expect(there('show', `${BRANCH}:${FILE}`)).toContain(`'HELLO'`);
    await page.getByRole('main').getByRole('link', { name: /^http/ }).first().waitFor();

    // What a person with write access says there.
    forge.writers.push('octocat');
    const commit = forge.tipOf(BRANCH)!;
    const line =
      there('show', `${BRANCH}:${FILE}`)
        .split('\n')
        .findIndex((text) => text.includes('HELLO')) + 1;
    forge.reviews.push({ id: 41, author: 'octocat', body: '', state: 'COMMENTED' });
    const body = "```suggestion\nexport const greet = () => 'HELLO!';\n```";
    forge.said.push({ id: 1, review: 41, author: 'octocat', commit, path: FILE, line, body });
    await page.getByRole('main').getByRole('link', { name: /^run_/ }).first().click();
    await page.getByRole('link', { name: 'Open the pull request' }).waitFor();
    await more('Fix the pull request');
    const [parent, tip] = there('log', '-2', '--reverse', '--format=%H', BRANCH).trim().split('\n');
    expect(parent).toBe(commit);
    expect(tip).toBe(forge.tipOf(BRANCH));
    expect(there('show', `${BRANCH}:${FILE}`)).toContain(`'HELLO!'`);
    expect(
      forge.said.some(
        ({ author, body: said }) => author === 'me' && said.includes('Done as suggested'),
      ),
    ).toBe(true);
    expect([forge.faults, forge.leaked]).toEqual([[], []]);
    await visitor().expectAccessible();
  });
});
