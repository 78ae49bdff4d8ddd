// P6: many running jobs in one process.
import { startChild } from '../harness/child.ts';
import type { Stage } from '../harness/stage.ts';
import type { Figure } from '../report.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const MIB = 1024 * 1024;

async function submitMany(stage: Stage, count: number, prompt: string): Promise<void> {
  const batch = 100;
  for (let from = 0; from < count; from += batch) {
    await Promise.all(
      Array.from({ length: Math.min(batch, count - from) }, (_, i) =>
        stage.call('POST', '/api/v1/execute', {
          streamId: `many-${from + i}`,
          prompt,
          model: 'sim-instant',
          maxTokens: 100_000,
        }),
      ),
    );
  }
}

async function counts(stage: Stage): Promise<Record<string, number>> {
  const { rows } = await stage.db.query<{ status: string; n: number }>(
    `select status, count(*) as n from jobs where stream_id like 'many-%' group by status`,
  );
  return Object.fromEntries(rows.map((row) => [row.status, row.n]));
}

async function hold(stage: Stage, count: number, prompt: string) {
  await stage.db.query(`delete from jobs where stream_id like 'many-%'`);
  const before = await stage.usage();
  await submitMany(stage, count, prompt);
  let peakRss = 0;
  let peakRunning = 0;
  for (;;) {
    const now = await counts(stage);
    peakRunning = Math.max(peakRunning, now['running'] ?? 0);
    peakRss = Math.max(peakRss, (await stage.usage()).rss);
    if ((now['pending'] ?? 0) + (now['running'] ?? 0) === 0) {
      const after = await stage.usage();
      return {
        peakRss,
        peakRunning,
        lost: count - (now['completed'] ?? 0),
        cpuMs: after.cpuMs - before.cpuMs,
      };
    }
    await pause(500);
  }
}

async function fetchReaderRss(count: number): Promise<number> {
  const model = startChild('./model-server.ts');
  const { url } = await model.waitFor<{ url: string }>('ready');
  const readers = startChild('./fetch-readers.ts');
  await readers.waitFor('ready');
  const prompt = encodeURIComponent('[[sim:tokens 1600]] [[sim:pace 50]]');
  await readers.ask(
    { read: { url: `${url}/?model=sim-instant&prompt=${prompt}`, count } },
    'reading',
  );
  await pause(8000);
  const rss = await readers.ask<number>({ ask: 'rss' }, 'rss');
  await readers.stop();
  await model.stop();
  return rss;
}

export async function measureConcurrency(stage: Stage): Promise<Figure[]> {
  const fast = await hold(stage, 1000, '[[sim:tokens 1600]] [[sim:pace 50]]');
  const slow = await hold(stage, 5000, '[[sim:delay 5000]] [[sim:tokens 40]] [[sim:pace 500]]');
  const readers = await fetchReaderRss(1000);
  return [
    {
      id: 'P6',
      what: `RSS with 1,000 jobs at 20 chunks a second (${fast.peakRunning} at once)`,
      value: fast.peakRss / MIB,
      unit: 'MiB',
      beside: { what: '1,000 fetch readers, MiB', value: readers / MIB },
      goal: { atMost: 512 },
    },
    {
      id: 'P6',
      what: `RSS with 5,000 slow jobs (${slow.peakRunning} at once)`,
      value: slow.peakRss / MIB,
      unit: 'MiB',
      goal: { atMost: 1024 },
    },
    {
      id: 'P6',
      what: 'jobs lost of these 6,000',
      value: fast.lost + slow.lost,
      unit: 'jobs',
      goal: { atMost: 0 },
    },
    {
      id: 'cost',
      what: 'server CPU for 1,000 jobs of 1,600 tokens',
      value: fast.cpuMs / 1000,
      unit: 's',
    },
  ];
}
