// P3, P7 and the cost of a stream for a real provider: Anthropic's API, played by the scripted vendor
// server in a process of its own.
import { request } from 'node:http';
import { startChild } from '../harness/child.ts';
import type { Child } from '../harness/child.ts';
import { now } from '../harness/clock.ts';
import { readStream } from '../harness/events.ts';
import { percentile } from '../harness/percentile.ts';
import type { ReadRequest } from '../harness/model-readers.ts';
import { setStage } from '../harness/stage.ts';
import type { Stage } from '../harness/stage.ts';
import { startVendor, vendorSettings } from '../harness/vendor.ts';
import type { VendorProcess } from '../harness/vendor.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';

const MODEL = 'claude-opus-4-8';
const MAX_TOKENS = 10_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const sorted = (values: number[]) => values.sort((a, b) => a - b);

interface Scene {
  stage: Stage;
  vendor: VendorProcess;
}

async function withVendor(env: NodeJS.ProcessEnv, measure: (scene: Scene) => Promise<Figure[]>) {
  const vendor = await startVendor();
  try {
    const stage = await setStage({ ...vendorSettings(vendor), ...env });
    try {
      return await measure({ stage, vendor });
    } finally {
      await stage.close();
    }
  } finally {
    await vendor.stop();
  }
}

async function submit(stage: Stage, streamId: string, prompt: string): Promise<string> {
  const body = { streamId, prompt, model: MODEL, maxTokens: MAX_TOKENS };
  const { jobId } = await stage.call('POST', '/api/v1/execute', body);
  return String(jobId);
}

/** The same call without Millrace, on a bare socket: when its first text arrived. */
function readDirectly(vendor: VendorProcess, prompt: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      'x-api-key': 'sk-ant-bench-key',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    };
    let firstTextAt = Number.NaN;
    request(`${vendor.url('anthropic')}/messages`, { method: 'POST', headers }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        if (Number.isNaN(firstTextAt) && text.includes('text_delta')) firstTextAt = now();
      });
      response.on('end', () => resolve(firstTextAt));
      response.on('error', reject);
    })
      .on('error', reject)
      .end(
        JSON.stringify({
          model: MODEL,
          max_tokens: MAX_TOKENS,
          messages: [{ role: 'user', content: prompt }],
          stream: true,
        }),
      );
  });
}

async function sentAt(vendor: VendorProcess, id: string): Promise<number> {
  const [call] = await vendor.calls({ id });
  return call?.firstByteAt ?? Number.NaN;
}

export function measureVendorFirstToken(): Promise<Figure[]> {
  return withVendor({}, async ({ stage, vendor }) => {
    const through: number[] = [];
    const direct: number[] = [];
    const prompt = (id: string) => `[[vendor:reply chunks=20 first-delay=60 pace=5 id=${id}]]`;
    for (let i = 0; i < 170; i++) {
      const jobId = await submit(stage, `first-${i}`, prompt(`job-${i}`));
      const seen = await readStream(`${stage.url}/api/v1/job/${jobId}/events`, stage.key);
      const straight = await readDirectly(vendor, prompt(`direct-${i}`));
      if (i < 20) continue;
      through.push(seen.firstTextAt! - (await sentAt(vendor, `job-${i}`)));
      direct.push(straight - (await sentAt(vendor, `direct-${i}`)));
    }
    const directP95 = percentile(sorted(direct), 0.95);
    return [
      {
        id: 'P3',
        what: '(vendor) first token, added between vendor and reader, p95',
        value: percentile(sorted(through), 0.95) - directP95,
        unit: 'ms',
        beside: { what: 'the vendor read directly, p95 ms', value: directP95 },
        goal: { atMost: 8 },
      },
    ];
  });
}

/** From sending the cancel to the vendor seeing its connection closed. */
async function closeDelays({ stage, vendor }: Scene, url: string, name: string) {
  const delays: number[] = [];
  const headers = { 'x-api-key': stage.key };
  for (let i = 0; i < 100; i++) {
    const id = `${name}-${i}`;
    const prompt = `[[vendor:reply chunks=9000 pace=20 id=${id}]]`;
    const jobId = await submit(stage, id, prompt);
    while (Number.isNaN(await sentAt(vendor, id))) await pause(5);
    // Not always at the same point between two pieces.
    await pause(20 + Math.random() * 20);
    const cancelledAt = now();
    await fetch(`${url}/api/v1/job/${jobId}/cancel`, { method: 'POST', headers });
    let closedAt: number | undefined;
    while (closedAt === undefined) {
      closedAt = (await vendor.calls({ id }))[0]?.clientClosedAt;
      if (closedAt === undefined) await pause(5);
    }
    delays.push(closedAt - cancelledAt);
  }
  return sorted(delays);
}

export function measureVendorCancel(): Promise<Figure[]> {
  return withVendor({}, async (scene) => {
    const other = await scene.stage.addNode('api');
    const same = await closeDelays(scene, scene.stage.url, 'same');
    const across = await closeDelays(scene, other.url, 'across');
    const figure = (where: string, values: number[], atMost: number): Figure => ({
      id: 'P7',
      what: `(vendor) cancel to connection closed at the vendor, ${where}, p99`,
      value: percentile(values, 0.99),
      unit: 'ms',
      goal: { atMost },
    });
    return [figure('same node', same, 100), figure('other node', across, 500)];
  });
}

const STREAMS = 1000;
const CHUNKS = 200;
// Near the limit of two cores that also carry the vendor and the database. Beyond it chunks pile up
// in the sockets, several are read at a time, and a stream costs less, the more so on the slower side.
const PACE_MS = 100;
const ROUNDS = 3;

/** How many were completed at the first attempt. */
async function untilEnded(stage: Stage, prefix: string): Promise<number> {
  for (;;) {
    const { rows } = await stage.db.query<{ open: number; completed: number }>(
      `select count(*) filter (where status in ('pending', 'running'))::int as open,
              count(*) filter (where status = 'completed' and attempt = 1)::int as completed
         from jobs where stream_id like $1`,
      [`${prefix}-%`],
    );
    if (rows[0]!.open === 0) return rows[0]!.completed;
    await pause(250);
  }
}

async function streamsThrough(stage: Stage, name: string, count: number, prompt: string) {
  const before = await stage.usage();
  const batch = 100;
  for (let from = 0; from < count; from += batch) {
    const numbers = Array.from({ length: Math.min(batch, count - from) }, (_, i) => from + i);
    await Promise.all(numbers.map((i) => submit(stage, `${name}-${i}`, prompt)));
  }
  const whole = await untilEnded(stage, name);
  return { cpuMs: (await stage.usage()).cpuMs - before.cpuMs, whole };
}

function streamsBare(readers: Child, vendor: VendorProcess, count: number, prompt: string) {
  const read: ReadRequest = {
    baseUrl: vendor.url('anthropic'),
    model: MODEL,
    prompt,
    maxTokens: MAX_TOKENS,
    count,
  };
  return readers.ask<{ cpuMs: number; whole: number }>({ read }, 'done');
}

export function measureVendorStreams(): Promise<Figure[]> {
  return withVendor({ MILLRACE_SLOTS: '2000' }, async ({ stage, vendor }) => {
    const readers = startChild('./model-readers.ts');
    await readers.waitFor('ready');
    const reply = (chunks: number) => `[[vendor:reply chunks=${chunks} pace=${PACE_MS}]]`;
    await streamsThrough(stage, 'warm', 200, reply(20));
    await streamsBare(readers, vendor, 200, reply(20));
    const through: number[] = [];
    const bare: number[] = [];
    const short: number[] = [];
    let lost = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const ours = await streamsThrough(stage, `round${round}`, STREAMS, reply(CHUNKS));
      through.push(ours.cpuMs / STREAMS);
      await vendor.reset();
      const theirs = await streamsBare(readers, vendor, STREAMS, reply(CHUNKS));
      bare.push(theirs.cpuMs / STREAMS);
      const jobs = await streamsThrough(stage, `short${round}`, STREAMS, reply(1));
      short.push(jobs.cpuMs / STREAMS);
      lost += 3 * STREAMS - ours.whole - theirs.whole - jobs.whole;
      await vendor.reset();
    }
    await readers.stop();
    return [
      {
        id: 'stream',
        what: `(vendor) CPU of a stream of ${CHUNKS} chunks, ${STREAMS} at once`,
        value: median(through),
        unit: 'ms',
        beside: { what: 'the bare reader, ms', value: median(bare) },
        goal: { ratioAtMost: 1.4 },
      },
      {
        id: 'stream',
        what: '(vendor) CPU of a job with one chunk: submit, claim, call, end',
        value: median(short),
        unit: 'ms',
      },
      {
        id: 'stream',
        what: `(vendor) of these ${3 * ROUNDS * STREAMS}, lost or run again`,
        value: lost,
        unit: 'streams',
        goal: { atMost: 0 },
      },
    ];
  });
}
