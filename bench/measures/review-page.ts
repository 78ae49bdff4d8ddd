// P16: a review of 2,000 files with 200,000 lines to look through.
import { createHash } from 'node:crypto';
import type { BrowserContext } from 'playwright-core';
import { MillraceClient } from '../../src/client/index.ts';
import type { ReviewFile } from '../../src/contract/review-api.ts';
import { now } from '../harness/clock.ts';
import type { Stage } from '../harness/stage.ts';

const FILES = 2000;
const SENT_AT_ONCE = 100;
const LINES = 160;
/** Four lines of each of these are others; three around them are shown, too. */
const HUNK_EVERY = 16;
const HUNKS = LINES / HUNK_EVERY;
const CHANGED = 4;
const CONTEXT = 3;
const SECONDS = 4;
/** How far the page is scrolled for each frame: at 60 frames a second, 30 screens a second. */
const STEP = 400;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function reviewFile(at: number): ReviewFile {
  const path = `packages/p${String(at % 20).padStart(2, '0')}/src/file-${at}.ts`;
  const before = Array.from(
    { length: LINES },
    (_, line) =>
      `export const value${line} = compute(${line}, 'text of ${line}', { at: ${at} });\n`,
  );
  const after = before.map((text, line) =>
    line % HUNK_EVERY < CHANGED ? text.replace('compute', 'recompute') : text,
  );
  return {
    path,
    kind: 'edit',
    renamedFrom: null,
    streams: [`s${at % 7}`],
    isBinary: false,
    isSteering: false,
    additions: HUNKS * CHANGED,
    deletions: HUNKS * CHANGED,
    size: after.join('').length,
    hunks: Array.from({ length: HUNKS }, (_, hunk) => {
      const from = Math.max(0, hunk * HUNK_EVERY - CONTEXT);
      const to = hunk * HUNK_EVERY + CHANGED + CONTEXT;
      const place = { oldFrom: from, oldTo: to, newFrom: from, newTo: to };
      return { id: sha256(`${path} ${hunk}`).slice(0, 16), kind: 'lines', ...place };
    }),
    before: before.join(''),
    after: after.join(''),
    notShown: null,
  };
}

async function askReview({ url, key }: Stage): Promise<string> {
  const client = new MillraceClient(url, key);
  const { id } = await client.approvals.create({
    kind: 'changes',
    runId: 'bench-review',
    title: 'Review of 2,000 files',
    hash: sha256('bench-review'),
    review: { files: FILES, isApplied: true, command: 'millrace review bench-review' },
  });
  for (let from = 0; from < FILES; from += SENT_AT_ONCE) {
    const files = Array.from({ length: SENT_AT_ONCE }, (_, at) => reviewFile(from + at));
    await client.reviews.sendFiles(id, { from, files });
  }
  return id;
}

const SCROLL = `(async () => {
  const main = document.querySelector('main');
  let frames = 0;
  const from = performance.now();
  await new Promise((resolve) => {
    const next = (at) => {
      frames += 1;
      main.scrollTop += ${STEP};
      if (at - from < ${SECONDS * 1000}) requestAnimationFrame(next);
      else resolve();
    };
    requestAnimationFrame(next);
  });
  return (1000 * frames) / (performance.now() - from);
})()`;

/** With the session of `context`, in a browser that has not loaded the page before. */
export async function measureReview(
  stage: Stage,
  context: BrowserContext,
  url: string,
): Promise<{ seconds: number; frames: number }> {
  const id = await askReview(stage);
  const page = await context.newPage();
  const from = now();
  await page.goto(`${url}/approvals/${id}`);
  await page.locator('[data-line]').first().waitFor();
  const seconds = (now() - from) / 1000;
  const frames = await page.evaluate<number>(SCROLL);
  await page.close();
  return { seconds, frames };
}
