import { describe, expect, it } from 'vitest';
import { ask, resolve } from '../approvals/ask.ts';
import { chromiumPath } from '../support/browser.ts';
import { useVisitor } from './use-visitor.ts';
import { newViewer } from './visitor.ts';

const DETAIL = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1 +1 @@
-old
+new
diff --git a/src/b.ts b/src/b.ts
new file mode 100644
--- /dev/null
+++ b/src/b.ts
@@ -0,0 +1 @@
+b
`;

describe.skipIf(chromiumPath === undefined)('what runs ask, in the dashboard', () => {
  const { server, visitor } = useVisitor();

  it('is counted as it comes, shown file by file and answered', async () => {
    const { page, key, person } = visitor();
    await visitor().open('/approvals');
    await page.getByText('Nothing needs you').waitFor();
    await visitor().expectAccessible();
    const asked = await ask(server(), key, { detail: DETAIL });
    const link = page.getByRole('link', { name: /Write the changes of api/ });
    await link.waitFor();
    await page.getByRole('link', { name: /^Needs you ?1$/ }).waitFor();
    await expect.poll(() => page.title()).toBe('(1) Needs you · Millrace');
    await visitor().expectAccessible();
    await link.click();
    await page.getByRole('region', { name: 'Diff of src/b.ts' }).waitFor();
    expect(await page.getByRole('region', { name: 'Diff of src/a.ts' }).innerText()).toContain(
      'new',
    );
    await visitor().expectAccessible();
    await page.getByRole('textbox', { name: 'Comment' }).fill('Fine.');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(`Approved by ${person.email}.`).waitFor();
    await page.getByText('Fine.').waitFor();
    expect(await page.getByRole('button', { name: 'Deny' }).count()).toBe(0);
    await expect.poll(() => page.title()).not.toContain('(1)');
    expect(asked.id).toMatch(/^apr_/);
  });

  it('may be a question, whose answer is a text; who is late learns who was first', async () => {
    const { page, key, person } = visitor();
    const asked = await ask(server(), key, { kind: 'question', title: 'Which one?', detail: '' });
    await visitor().open(`/approvals/${asked.id}`);
    await page.getByRole('heading', { name: 'Which one?' }).waitFor();
    expect(await page.getByRole('button', { name: 'Answer' }).isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Answer' }).fill('The older one.');
    // Answered elsewhere between what the page shows and the click: its news may come first.
    await resolve(server(), key, asked, { answer: 'The newer one.' });
    await page.getByText(`Answered by ${person.email}.`).waitFor();
    await page.getByText('Answer: The newer one.').waitFor();
    await visitor().expectAccessible();
  });

  it('is not there for viewers', async () => {
    const viewer = await newViewer(server(), visitor().person);
    await viewer.open('/approvals');
    await viewer.page.getByText('answers no questions of runs').waitFor();
    viewer.expectQuiet();
    await viewer.close();
  });
});
