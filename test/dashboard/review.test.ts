// A review in the browser: the command of a run asks, a reader decides by mouse or keyboard, the command takes what was said.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { ReviewFile } from '../../src/contract/review-api.ts';
import { resolve } from '../approvals/ask.ts';
import { chromiumPath } from '../support/browser.ts';
import { closePage } from '../support/close-page.ts';
import { askReview, changedFile } from './asked-review.ts';
import type { AskOptions, AskedReview } from './asked-review.ts';
import { useVisitor } from './use-visitor.ts';

const lines = (count: number, word = 'old') =>
  Array.from({ length: count }, (_, at) => `${word} ${at + 1}\n`).join('');

/** These lines, counted from 1, have another text. */
const edited = (text: string, ...at: number[]) =>
  text
    .split('\n')
    .map((line, index) => (at.includes(index + 1) ? `new ${index + 1}` : line))
    .join('\n');

const paths = Array.from(
  { length: 12 },
  (_, at) => `src/file-${String(at + 1).padStart(2, '0')}.ts`,
);
const twelve = (): ReviewFile[] =>
  paths.map((path) => changedFile(path, lines(9), edited(lines(9), 5)));

describe.skipIf(chromiumPath === undefined)('a review in the dashboard', () => {
  const { server, visitor } = useVisitor();

  async function open(
    files: readonly ReviewFile[],
    options?: AskOptions,
  ): Promise<AskedReview & { page: Page }> {
    const asked = await askReview(server(), visitor().key, files, options);
    await visitor().open(`/approvals/${asked.id}`);
    return { ...asked, page: visitor().page };
  }

  const fileOf = (page: Page, path: string) =>
    page.getByRole('region', { name: path, exact: true });
  const decide = async (page: Page, path: string, name: 'Accept' | 'Reject') => {
    const button = fileOf(page, path).getByRole('button', { name, exact: true }).first();
    await button.click();
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe('true');
  };
  const go = (page: Page, path: string) =>
    page
      .getByRole('navigation', { name: 'Changed files' })
      .getByTitle(path, { exact: true })
      .click();
  const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();

  async function comment(page: Page, path: string, line: number, text: string): Promise<void> {
    await fileOf(page, path)
      .getByRole('button', { name: `Comment on line ${line}`, exact: true })
      .click();
    await page.getByRole('textbox', { name: 'Comment', exact: true }).fill(text);
    await page.getByRole('button', { name: 'Add the comment' }).click();
    await fileOf(page, path).getByText(text, { exact: true }).waitFor();
  }

  async function submit(page: Page, verdict: string): Promise<void> {
    await page.getByRole('button', { name: 'Finish', exact: true }).click();
    await page.getByRole('radio', { name: verdict }).check();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
  }

  it('is decided hunk by hunk with comments, and taken exactly as it was said', async () => {
    const files = twelve();
    const { page, id, client, runId } = await open(files);
    for (const path of paths.slice(0, 5)) {
      await go(page, path);
      await decide(page, path, 'Accept');
    }
    for (const path of paths.slice(5, 8)) {
      await go(page, path);
      await decide(page, path, 'Reject');
    }
    await go(page, paths[8]!);
    await comment(page, paths[8]!, 5, 'Why?');
    await go(page, paths[9]!);
    await comment(page, paths[9]!, 4, 'Like the one above.');
    await saved(page);
    await visitor().expectAccessible();
    await submit(page, 'Ask for changes');
    await page.getByRole('heading', { name: 'Submitted' }).waitFor();
    await page.getByText(`millrace review ${runId}`).waitFor();
    // Also to those who were far below it.
    await expect.poll(() => page.evaluate(`document.querySelector('main').scrollTop`)).toBe(0);
    await visitor().expectAccessible();
    const { submission } = await client.reviews.take(id);
    const hunk = (at: number) => files[at]!.hunks[0]!.id;
    expect(submission).toMatchObject({
      verdict: 'changes',
      by: { email: visitor().person.email },
      decisions: {
        ...Object.fromEntries([0, 1, 2, 3, 4].map((at) => [hunk(at), 'accepted'])),
        ...Object.fromEntries([5, 6, 7].map((at) => [hunk(at), 'rejected'])),
      },
    });
    expect(Object.keys(submission!.decisions)).toHaveLength(8);
    const said = Object.values(submission!.comments).sort((a, b) => (a.path < b.path ? -1 : 1));
    expect(said).toEqual([
      { path: paths[8], side: 'new', line: 5, hunk: hunk(8), text: 'Why?', quoted: 'new 5' },
      {
        path: paths[9],
        side: 'new',
        line: 4,
        hunk: hunk(9),
        text: 'Like the one above.',
        quoted: 'old 4',
      },
    ]);
    await page.getByRole('heading', { name: 'It is being carried out' }).waitFor();
    await client.reviews.end(id, { kind: 'round', text: '2 streams work on it.' });
    await page.getByText('2 streams work on it.').waitFor();
    expect(await page.getByRole('button', { name: 'Accept', exact: true }).count()).toBe(0);
  });

  it('loses nothing by a reload in the middle, and shows a second tab what the first has said', async () => {
    const { page, id, client } = await open(twelve());
    const second = await visitor().context.newPage();
    await second.goto(page.url());
    await second.getByText('0 accepted, 0 rejected, 12 undecided').waitFor();
    await decide(page, paths[0]!, 'Accept');
    await second.getByText('1 accepted, 0 rejected, 11 undecided').waitFor();
    await decide(second, paths[1]!, 'Reject');
    await page.getByText('1 accepted, 1 rejected, 10 undecided').waitFor();
    await closePage(second);
    // Words that are not added yet, and a decision that is not sent yet.
    await fileOf(page, paths[0]!).getByRole('button', { name: 'Comment on line 5' }).click();
    await page.getByRole('textbox', { name: 'Comment', exact: true }).fill('Half a sen');
    await fileOf(page, paths[1]!).getByRole('button', { name: 'Accept', exact: true }).click();
    await page.reload();
    await page.getByText('2 accepted, 0 rejected, 10 undecided').waitFor();
    const field = page.getByRole('textbox', { name: 'Comment', exact: true });
    expect(await field.inputValue()).toBe('Half a sen');
    await page.getByRole('button', { name: 'Add the comment' }).click();
    await saved(page);
    const { draft } = await client.reviews.get(id);
    expect(Object.keys(draft.decisions)).toHaveLength(2);
    expect(Object.values(draft.comments)).toMatchObject([{ text: 'Half a sen' }]);
  });

  it('is done with the keyboard alone', async () => {
    const text = lines(40);
    const files = [
      changedFile('a.ts', text, edited(text, 4, 8, 30)),
      changedFile('b.ts', text, edited(text, 10)),
      changedFile('c.ts', null, lines(3, 'fresh')),
    ];
    const { page, id, client } = await open(files);
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const at = (name: RegExp) =>
      page.locator('[data-unit]:focus').and(page.getByRole('group', { name }));
    await fileOf(page, 'a.ts').getByText('new 4').waitFor();
    await press('j');
    await at(/^Lines 1 to 11 of a.ts: undecided$/).waitFor();
    await press('s', 'j');
    await at(/part 1 of 2 of a.ts/).waitFor();
    await press('y');
    await at(/part 2 of 2 of a.ts/).waitFor();
    await press('n');
    await at(/^Lines 27 to 33 of a.ts/).waitFor();
    await press('y', 'k', 'u');
    await at(/^Lines 27 to 33 of a.ts: undecided$/).waitFor();
    await press(']');
    await at(/of b.ts: undecided$/).waitFor();
    // Into the lines, over two of them, and a comment with other lines.
    await press('ArrowDown', 'ArrowDown', 'Shift+ArrowDown', 'c');
    await page.keyboard.type('Shorter.');
    await press('Tab', 'Space', 'Tab');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('one line');
    await press('Control+Enter');
    await page.getByText('Shorter.').waitFor();
    await press('v');
    await expect.poll(() => fileOf(page, 'b.ts').getByText('new 10').count()).toBe(0);
    await at(/of c.ts: undecided$/).waitFor();
    await press('d');
    await page.getByText('1 accepted, 2 rejected, 2 undecided. 1 of 3 viewed, 1 comment').waitFor();
    await press('?');
    await page.getByText('Accept the hunk').waitFor();
    await press('Escape', 'f');
    await page.getByRole('dialog', { name: 'Finish the review' }).waitFor();
    await press('Tab', 'ArrowUp');
    await expect
      .poll(() => page.getByRole('radio', { name: 'Apply accepted' }).isChecked())
      .toBe(true);
    await press('Tab', 'Tab', 'Tab', 'Enter');
    await page.getByRole('heading', { name: 'Submitted' }).waitFor();
    const { submission } = await client.reviews.take(id);
    const [split] = files[0]!.hunks;
    expect(submission).toMatchObject({
      verdict: 'apply',
      decisions: {
        [split!.parts![0]!.id]: 'accepted',
        [split!.parts![1]!.id]: 'rejected',
        [files[2]!.hunks[0]!.id]: 'rejected',
      },
    });
    expect(Object.values(submission!.comments)).toMatchObject([
      { path: 'b.ts', text: 'Shorter.', suggestion: 'one line', line: 8, endLine: 9 },
    ]);
  });

  it('says that files are coming, and opens when they have come', async () => {
    const files = twelve().slice(0, 3);
    const { page, id, client } = await open(files, { sent: 2 });
    await page.getByText('2 files so far').waitFor();
    await visitor().expectAccessible();
    await client.reviews.sendFiles(id, { from: 2, files: files.slice(2) });
    await page.getByRole('button', { name: 'Finish', exact: true }).waitFor();
  });

  it('shows why the last submit did not count, with what was said before', async () => {
    const failed = { stream: 'api', error: 'npm test ended with 1', output: 'expected 2 to be 1' };
    const carried = {
      id: 'comment-1',
      path: paths[0]!,
      side: 'new',
      line: 5,
      text: 'Was it so?',
      quoted: 'middle 5',
      hunk: '0123456789abcdef',
      round: 1,
      outdated: true,
    } as const;
    const elsewhere = { ...carried, id: 'comment-2', path: 'src/gone.ts', text: 'And here?' };
    const files = twelve();
    files[1] = { ...files[1]!, streams: ['web'] };
    const { page } = await open(files, {
      review: { failed, round: 2, comments: [carried, elsewhere] },
    });
    await page.getByRole('heading', { name: 'The last submit did not count' }).waitFor();
    await page.getByText('expected 2 to be 1').waitFor();
    const note = fileOf(page, paths[0]!).getByRole('article');
    await note.getByText('Outdated').waitFor();
    expect(await note.innerText()).toContain('middle 5');
    expect(await note.getByRole('button').count()).toBe(0);
    // Of a file that is not there any more: which one it was.
    const lost = page.getByRole('region', { name: 'Comments on other files' });
    expect(await lost.innerText()).toContain('src/gone.ts');
    const tree = page.getByRole('navigation', { name: 'Changed files' });
    await tree.getByTitle(paths[1]!, { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Which files' }).selectOption('With a failed check');
    await tree.getByTitle(paths[1]!, { exact: true }).waitFor({ state: 'detached' });
    await tree.getByTitle(paths[0]!, { exact: true }).waitFor();
    await visitor().expectAccessible();
  });

  it('says of a round that not all of it was done', async () => {
    const failed = { stream: 'api-fix-3', error: 'npm test ended with 1', output: '' };
    const carried = {
      id: 'comment-1',
      path: paths[0]!,
      side: 'new',
      line: 5,
      text: 'Better?',
      quoted: 'new 5',
      round: 1,
      outdated: false,
      outcome: 'Not done: api-fix-3: npm test ended with 1',
    } as const;
    const { page } = await open(twelve(), {
      review: { failed, round: 2, comments: [carried], isApplied: false },
    });
    await page.getByRole('heading', { name: 'Not all was done' }).waitFor();
    await page.getByRole('button', { name: 'Finish', exact: true }).click();
    // Of changes that are not written yet, what nobody has turned down is.
    await page.getByText('12 hunks without a decision are written, too').waitFor();
  });

  it('that nobody answered in time, or another person answered, says so and takes nothing more', async () => {
    const late = await open(twelve(), { approval: { expiresInSeconds: 1 } });
    const { page } = late;
    await page.getByRole('heading', { name: 'Denied: nobody answered in time' }).waitFor();
    const asked = await open(twelve());
    await decide(page, paths[0]!, 'Accept');
    await page.getByRole('button', { name: 'Finish', exact: true }).click();
    // The news of the other answer may come before the click.
    await resolve(server(), visitor().key, asked, { verdict: 'apply' });
    await page.getByText(`${visitor().person.email} applied what was accepted`).waitFor();
    expect(await page.getByRole('button', { name: 'Submit' }).count()).toBe(0);
    visitor().forgetRefusals();
  });

  it('never shows text of a model as anything but text', async () => {
    const hostile = '<img src=x onerror=alert(1)> \u202egnp.exe \u200b\u001b[31m\n';
    const { page } = await open([changedFile('evil.ts', 'calm\n', hostile)]);
    const file = fileOf(page, 'evil.ts');
    await file.getByText('U+202E').waitFor();
    const shown = await file.innerText();
    expect(shown).toContain('<img src=x onerror=alert(1)>');
    expect(shown).toContain('U+200B');
    expect(shown).toContain('U+001B');
    for (const hidden of ['\u202e', '\u200b', '\u001b']) expect(shown).not.toContain(hidden);
    expect(await file.locator('img').count()).toBe(0);
  });
});
