// P2, P3, P4, P7: how long the way takes, measured on a clock that all processes share.
import { now } from '../harness/clock.ts';
import { startChild } from '../harness/child.ts';
import type { CallTimes } from '../harness/bench-server.ts';
import { readStream } from '../harness/events.ts';
import { submitText } from '../harness/http-text.ts';
import { percentile } from '../harness/percentile.ts';
import type { Stage } from '../harness/stage.ts';
import type { Figure } from '../report.ts';
import { USERS, untilIdle, usersText } from './submits.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const sorted = (values: number[]) => values.sort((a, b) => a - b);

/** When P1 was not measured in the same run. */
const USUAL_RATE = 1000;

let series = 0;

async function submitTimed(
  stage: Stage,
  prompt: string,
  { model = 'sim-instant', key = stage.key } = {},
) {
  const streamId = `timed-${++series}`;
  const sentAt = now();
  const body = { streamId, prompt, model, maxTokens: 10_000 };
  const { jobId } = await stage.call('POST', '/api/v1/execute', body, key);
  return { streamId, jobId: String(jobId), sentAt };
}

function timesOf(times: readonly CallTimes[], event: CallTimes['event']): Map<string, number> {
  return new Map(
    times.filter((each) => each.event === event).map((each) => [each.streamId, each.at]),
  );
}

async function pickUps(
  stage: Stage,
  count: number,
  keys: readonly string[] = [stage.key],
): Promise<number[]> {
  const submitted = [];
  for (let i = 0; i < count; i++) {
    submitted.push(await submitTimed(stage, '[[sim:tokens 1]]', { key: keys[i % keys.length]! }));
    await pause(20);
  }
  await untilIdle(stage);
  const starts = timesOf(await stage.times(), 'start');
  return sorted(submitted.map(({ streamId, sentAt }) => starts.get(streamId)! - sentAt));
}

/** While as many users submit as the rate was measured with, at half of that rate. */
async function pickUpsUnderLoad(stage: Stage, users: number, rate: number): Promise<Figure> {
  const keys = await stage.keysOf(users);
  const requests = keys.map((key) => submitText(key));
  const busy = stage.load({ connections: 64, seconds: 8, requests, rate: rate / 2 });
  await pause(1000);
  const loaded = await pickUps(stage, 150, keys);
  await busy;
  await untilIdle(stage);
  return {
    id: 'P2',
    what: `submit to model call at ${Math.round(rate / 2)}/s, ${usersText(users)}, p99`,
    value: percentile(loaded, 0.99),
    unit: 'ms',
    goal: { atMost: 100 },
  };
}

/** `rates` has the submits a second that P1 came to, by users. */
export async function measurePickUp(
  stage: Stage,
  rates: ReadonlyMap<number, number>,
): Promise<Figure[]> {
  await pickUps(stage, 20);
  const idle = await pickUps(stage, 200);
  const loaded: Figure[] = [];
  for (const users of USERS) {
    loaded.push(await pickUpsUnderLoad(stage, users, rates.get(users) ?? USUAL_RATE));
  }
  return [
    {
      id: 'P2',
      what: 'submit to model call, idle, p50',
      value: percentile(idle, 0.5),
      unit: 'ms',
      goal: { atMost: 10 },
    },
    {
      id: 'P2',
      what: 'submit to model call, idle, p99',
      value: percentile(idle, 0.99),
      unit: 'ms',
      goal: { atMost: 40 },
    },
    ...loaded,
  ];
}

export async function measureFirstToken(stage: Stage): Promise<Figure[]> {
  const model = startChild('./model-server.ts');
  const { url } = await model.waitFor<{ url: string }>('ready');
  const through: number[] = [];
  const direct: number[] = [];
  const prompt = '[[sim:delay 60]] [[sim:tokens 20]]';
  for (let i = 0; i < 150; i++) {
    const { streamId, jobId } = await submitTimed(stage, prompt, { model: 'sim-fast' });
    const seen = await readStream(`${stage.url}/api/v1/job/${jobId}/events`, stage.key);
    const sent = timesOf(await stage.times(), 'first-text').get(streamId)!;
    if (i >= 20) through.push(seen.firstTextAt! - sent);

    const name = `direct-${i}`;
    const query = new URLSearchParams({ stream: name, prompt, model: 'sim-fast' }).toString();
    const straight = await readStream(`${url}/?${query}`);
    const firsts = await model.ask<Record<string, number>>({ ask: 'first-texts' }, 'firstTexts');
    if (i >= 20) direct.push(straight.firstTextAt! - firsts[name]!);
  }
  await model.stop();
  const directP95 = percentile(sorted(direct), 0.95);
  const throughP95 = percentile(sorted(through), 0.95);
  return [
    {
      id: 'P3',
      what: 'first token, added between model and reader, p95',
      value: throughP95 - directP95,
      unit: 'ms',
      beside: { what: 'the model read directly, p95 ms', value: directP95 },
      goal: { atMost: 8 },
    },
  ];
}

export async function measureLongPoll(stage: Stage): Promise<Figure[]> {
  const delays: number[] = [];
  for (let i = 0; i < 150; i++) {
    const { streamId, jobId } = await submitTimed(stage, '[[sim:delay 40]] [[sim:tokens 20]]', {
      model: 'sim-fast',
    });
    await stage.call('GET', `/api/v1/job/${jobId}?wait=30`);
    const answeredAt = now();
    const ended = timesOf(await stage.times(), 'end').get(streamId)!;
    if (i >= 20) delays.push(answeredAt - ended);
  }
  return [
    {
      id: 'P4',
      what: 'model end to long-poll answer, p95',
      value: percentile(sorted(delays), 0.95),
      unit: 'ms',
      goal: { atMost: 30 },
    },
  ];
}

async function cancelDelays(stage: Stage, cancelUrl: string, count: number): Promise<number[]> {
  const delays: number[] = [];
  for (let i = 0; i < count; i++) {
    const { streamId, jobId } = await submitTimed(stage, '[[sim:tokens 100000]] [[sim:pace 20]]');
    while (!timesOf(await peekTimes(stage), 'first-text').has(streamId)) await pause(10);
    const sentAt = now();
    await fetch(`${cancelUrl}/api/v1/job/${jobId}/cancel`, {
      method: 'POST',
      headers: { 'x-api-key': stage.key },
    });
    let abortedAt = timesOf(await peekTimes(stage), 'abort').get(streamId);
    while (abortedAt === undefined) {
      await pause(10);
      abortedAt = timesOf(await peekTimes(stage), 'abort').get(streamId);
    }
    delays.push(abortedAt - sentAt);
  }
  return sorted(delays);
}

const seen: CallTimes[] = [];
async function peekTimes(stage: Stage): Promise<CallTimes[]> {
  seen.push(...(await stage.times()));
  return seen;
}

export async function measureCancel(stage: Stage): Promise<Figure[]> {
  const other = await stage.addNode('api');
  const same = await cancelDelays(stage, stage.url, 100);
  const across = await cancelDelays(stage, other.url, 100);
  await other.stop();
  const figure = (what: string, values: number[], atMost: number): Figure => ({
    id: 'P7',
    what,
    value: percentile(values, 0.99),
    unit: 'ms',
    goal: { atMost },
  });
  return [
    figure('cancel to model call stopped, same node, p99', same, 100),
    figure('cancel to model call stopped, other node, p99', across, 500),
  ];
}
