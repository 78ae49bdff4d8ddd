// P16: the dashboard under load, in a real browser.
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import type { BrowserContext } from 'playwright-core';
import { openSession } from '../../src/services/accounts/sign-in.ts';
import { findUserByEmail } from '../../src/store/accounts/users.ts';
import { pageSize, shellSize } from '../harness/bundle-sizes.ts';
import { now } from '../harness/clock.ts';
import type { Stage } from '../harness/stage.ts';
import { countStreams } from '../harness/stream-counter.ts';
import type { Figure } from '../report.ts';
import { measureReview } from './review-page.ts';

const EVENTS_A_SECOND = 500;
const SECONDS = 6;
const TABS = 12;
const KB = 1000;
/** Of a large graph only what is in view is drawn. */
const STREAM = /Stream \d+/;
const SUMMARY = { done: 0, failed: 0, wave: 1, waves: 10, simulated: true };

function started(runId: string, streams: number) {
  return {
    type: 'run.started',
    runId,
    manifest: runId,
    file: 'm.yaml',
    streams: Array.from({ length: streams }, (_, index) => ({
      id: `s${index}`,
      name: `Stream ${index}`,
      wave: 1 + Math.floor((10 * index) / streams),
      status: 'pending',
      waitsFor: index < streams / 10 ? [] : [`s${index - streams / 10}`],
    })),
  };
}

/** Sends the events of a run in order, as its command line would. */
function reporterOf(stage: Stage, runId: string, streams: number) {
  let seq = 0;
  return async (events: readonly object[]) => {
    const ts = new Date().toISOString();
    await stage.call('POST', `/api/v1/runs/${runId}/events`, {
      name: runId,
      events: events.map((event) => ({ v: 1, seq: ++seq, ts, ...event })),
      summary: { ...SUMMARY, total: streams },
    });
  };
}

async function signIn(stage: Stage, context: BrowserContext, url: string): Promise<void> {
  const user = (await findUserByEmail(stage.db, 'bench@example.com'))!;
  const visitor = { address: '127.0.0.1', userAgent: undefined, sessionToken: undefined };
  const { token } = await stage.db.tx((tx) => openSession(tx, user, visitor));
  await context.addCookies([{ name: 'millrace_session', value: token, url }]);
}

const COUNT_FRAMES = `(async () => {
  let frames = 0;
  const from = performance.now();
  await new Promise((resolve) => {
    const next = (at) => {
      frames += 1;
      if (at - from < ${SECONDS * 1000}) requestAnimationFrame(next);
      else resolve();
    };
    requestAnimationFrame(next);
  });
  return (1000 * frames) / (performance.now() - from);
})()`;

async function framesUnderLoad(stage: Stage, context: BrowserContext, url: string) {
  const streams = 300;
  const report = reporterOf(stage, 'bench-frames', streams);
  await report([started('bench-frames', streams)]);
  const page = await context.newPage();
  await page.goto(`${url}/runs/bench-frames`);
  await page.getByRole('button', { name: STREAM }).first().waitFor();
  const frames = page.evaluate(COUNT_FRAMES) as Promise<number>;
  const until = now() + SECONDS * 1000;
  for (let sent = 0; now() < until;) {
    const events = Array.from({ length: EVENTS_A_SECOND / 10 }, () => {
      const stream = `s${sent % streams}`;
      const isStart = Math.floor(sent++ / streams) % 2 === 0;
      return isStart
        ? { type: 'stream.started', stream, attempt: 1, wave: 1 }
        : {
            type: 'command.started',
            stream,
            attempt: 1,
            phase: 'verify',
            command: `check ${sent}`,
          };
    });
    await Promise.all([report(events), delay(100)]);
  }
  const rate = await frames;
  await page.close();
  return rate;
}

async function secondsToGraph(stage: Stage, context: BrowserContext, url: string) {
  await reporterOf(stage, 'bench-large', 1000)([started('bench-large', 1000)]);
  const page = await context.newPage();
  const from = now();
  await page.goto(`${url}/runs/bench-large`);
  await page.getByRole('button', { name: STREAM }).first().waitFor();
  const seconds = (now() - from) / 1000;
  await page.close();
  return seconds;
}

export async function measureDashboard(stage: Stage): Promise<Figure[]> {
  const executablePath = process.env['CHROME_PATH'] ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath });
  const counter = await countStreams(stage.url);
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    await signIn(stage, context, counter.url);
    const frames = await framesUnderLoad(stage, context, counter.url);
    const graph = await secondsToGraph(stage, context, counter.url);
    const review = await measureReview(stage, context, counter.url);
    const pages = await Promise.all(Array.from({ length: TABS }, () => context.newPage()));
    for (const page of pages) {
      await page.goto(`${counter.url}/runs/bench-large`);
      await page.getByText('Live', { exact: true }).waitFor();
    }
    const streams = counter.open();
    if (streams === 0) throw new Error('no event stream was seen, although the tabs are live');
    return [
      {
        id: 'P16',
        what: `frames, 300 streams at ${EVENTS_A_SECOND} events/s`,
        value: frames,
        unit: 'fps',
        goal: { atLeast: 30 },
      },
      {
        id: 'P16',
        what: 'run of 1,000 streams, to its graph',
        value: graph,
        unit: 's',
        goal: { atMost: 3 },
      },
      {
        id: 'P16',
        what: 'review of 2,000 files, to its first lines',
        value: review.seconds,
        unit: 's',
        goal: { atMost: 3 },
      },
      {
        id: 'P16',
        what: 'frames, scrolling through the review',
        value: review.frames,
        unit: 'fps',
        goal: { atLeast: 30 },
      },
      {
        id: 'P16',
        what: `event streams of ${TABS} tabs`,
        value: streams,
        unit: '',
        goal: { atMost: 1 },
      },
      {
        id: 'P16',
        what: 'shell, gzipped',
        value: shellSize() / KB,
        unit: 'KB',
        goal: { atMost: 120 },
      },
      {
        id: 'P16',
        what: 'page of a review with the shell, gzipped',
        value: pageSize('review-page') / KB,
        unit: 'KB',
        goal: { atMost: 200 },
      },
      {
        id: 'P16',
        what: 'page of a run with the shell, gzipped',
        value: pageSize('run-page') / KB,
        unit: 'KB',
        goal: { atMost: 200 },
      },
    ];
  } finally {
    await browser.close();
    counter.close();
  }
}
