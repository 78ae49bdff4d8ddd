// P22: calls through the model endpoint, with ledger and budget: what they add to the time of the vendor, how many there
// are a second beside another gateway, and how much memory each takes.
import { Agent, request } from 'node:http';
import { startChild } from '../harness/child.ts';
import { now } from '../harness/clock.ts';
import { NotInstalled } from '../harness/job-system.ts';
import { percentile } from '../harness/percentile.ts';
import { setStage } from '../harness/stage.ts';
import type { Stage } from '../harness/stage.ts';
import { startVendor, vendorSettings } from '../harness/vendor.ts';
import { startOtherGateway } from '../rivals/gateway.ts';
import type { OtherGateway } from '../rivals/gateway.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';

/** What an agent sends after a few turns. */
const BODY_BYTES = 20_000;
const AT_ONCE = 500;
const CONNECTIONS = 32;
/** Each may make 600 calls a minute. */
const USERS = 60;
const MIB = 1024 * 1024;
const KEY = 'sk-bench-key';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const messageBody = (text: string) =>
  JSON.stringify({
    model: 'claude-sonnet-4-5',
    max_tokens: 200,
    stream: true,
    messages: [{ role: 'user', content: `${text} ${'word '.repeat(BODY_BYTES / 5)}` }],
  });

const chatBody = JSON.stringify({
  model: 'gpt-4o',
  max_tokens: 200,
  messages: [{ role: 'user', content: 'word '.repeat(BODY_BYTES / 5) }],
});

/** A whole request for the load client. */
const chatText = (path: string, key: string, headers = '') =>
  `POST ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${key}\r\n${headers}` +
  `content-type: application/json\r\ncontent-length: ${chatBody.length}\r\n\r\n${chatBody}`;

async function withBudgets(stage: Stage, users: number): Promise<string[]> {
  const keys = await stage.keysOf(users);
  for (const key of keys) {
    const me = await stage.call('GET', '/api/v1/auth/me', undefined, key);
    const { id } = me['team'] as { id: string };
    await stage.call('PATCH', `/v1/teams/${id}`, { settings: { budgetUsd: 100_000 } }, key);
  }
  return keys;
}

interface Sent {
  firstByteMs: number;
  status: number;
}

/** Sends a call and reads its answer to the end. */
function send(url: string, key: string, body: string, agent: Agent): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const headers = {
      'x-api-key': key,
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sentAt = now();
    request(url, { method: 'POST', headers, agent }, (response) => {
      let firstByteMs = Number.NaN;
      response.once('data', () => (firstByteMs = now() - sentAt));
      response.on('data', () => undefined);
      response.on('end', () => resolve({ firstByteMs, status: response.statusCode! }));
      response.on('error', reject);
    })
      .on('error', reject)
      .end(body);
  });
}

async function firstBytes(stage: Stage, vendorUrl: string, keys: readonly string[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = messageBody('Hi');
  const through: number[] = [];
  const direct: number[] = [];
  for (let i = 0; i < 450; i++) {
    const key = keys[i % keys.length]!;
    const ours = await send(`${stage.url}/model/anthropic/v1/messages`, key, body, agent);
    const theirs = await send(`${vendorUrl}/v1/messages`, KEY, body, agent);
    if (ours.status !== 200) throw new Error(`the endpoint answered with ${ours.status}`);
    if (i < 50) continue;
    through.push(ours.firstByteMs);
    direct.push(theirs.firstByteMs);
  }
  agent.destroy();
  const [ours, theirs] = [through, direct].map((values) => values.sort((a, b) => a - b));
  return { through: ours!, direct: theirs! };
}

async function findOtherGateway(vendorUrl: string): Promise<OtherGateway | undefined> {
  try {
    return await startOtherGateway(vendorUrl);
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error;
    process.stderr.write(`no other gateway: ${error.message}\n`);
    return undefined;
  }
}

interface Turns {
  rounds: number;
  seconds: number;
}

async function rates(
  stage: Stage,
  keys: readonly string[],
  other: OtherGateway | undefined,
  { rounds, seconds }: Turns,
) {
  const path = '/model/openai/v1/chat/completions';
  const ours: number[] = [];
  const theirs: number[] = [];
  const load = async (requests: string[], forSeconds: number, url?: string) => {
    const options = { connections: CONNECTIONS, seconds: forSeconds, requests };
    const result = await stage.load({ ...options, ...(url !== undefined && { url }) });
    if (result.failed > 0) throw new Error(`${result.failed} calls failed`);
    return result.perSecond;
  };
  const own = keys.map((key) => chatText(path, key));
  const others = other && [chatText('/v1/chat/completions', KEY, other.headers)];
  for (let round = -1; round < rounds; round++) {
    // The first is there to warm up.
    const forSeconds = round < 0 ? 2 : seconds;
    const our = await load(own, forSeconds);
    const their = others && (await load(others, forSeconds, other.url));
    if (round < 0) continue;
    ours.push(our);
    if (their !== undefined) theirs.push(their);
  }
  return { ours: median(ours), theirs: theirs.length === 0 ? undefined : median(theirs) };
}

/** With so many calls whose vendor has not answered yet, and while their answers stream. */
async function memoryOfCalls(): Promise<number> {
  const vendor = await startVendor();
  const stage = await setStage(vendorSettings(vendor));
  const agent = new Agent({ keepAlive: true });
  try {
    const keys = await withBudgets(stage, 2);
    const url = `${stage.url}/model/anthropic/v1/messages`;
    const call = (name: string, delayMs: number, index: number) => {
      const body = messageBody(
        `[[vendor:reply chunks=8 pace=200 first-delay=${delayMs} id=${name}]]`,
      );
      return send(url, keys[index % 2]!, body, agent);
    };
    for (let i = 0; i < 50; i++) await call('warm', 0, i);
    await vendor.reset();
    const before = (await stage.usage()).rss;
    let isOver = false;
    const calls = Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => call('held', 6000, index)),
    ).finally(() => (isOver = true));
    let peak = 0;
    while (!isOver) {
      peak = Math.max(peak, (await stage.usage()).rss);
      await pause(200);
    }
    const wrong = (await calls).filter(({ status }) => status !== 200).length;
    if (wrong > 0) throw new Error(`${wrong} of ${AT_ONCE} calls were not answered`);
    return (peak - before) / AT_ONCE / MIB;
  } finally {
    agent.destroy();
    await stage.close();
    await vendor.stop();
  }
}

export async function measureModelEndpoint(rounds: number, seconds: number): Promise<Figure[]> {
  const model = startChild('./instant-model.ts');
  const { url } = await model.waitFor<{ url: string }>('ready');
  const other = await findOtherGateway(url);
  const stage = await setStage({
    MILLRACE_ANTHROPIC_BASE_URL: `${url}/v1`,
    MILLRACE_ANTHROPIC_API_KEY: KEY,
    MILLRACE_OPENAI_BASE_URL: `${url}/v1`,
    MILLRACE_OPENAI_API_KEY: KEY,
  });
  const figures: Figure[] = [];
  try {
    const keys = await withBudgets(stage, USERS);
    const { through, direct } = await firstBytes(stage, url, keys);
    const added = (share: number) => percentile(through, share) - percentile(direct, share);
    const beside = { what: 'the vendor directly, ms', value: percentile(direct, 0.95) };
    figures.push(
      {
        id: 'P22',
        what: 'model endpoint, 20 KB: added to the first byte, p95',
        value: added(0.95),
        unit: 'ms',
        beside,
        goal: { atMost: 5 },
      },
      { id: 'P22', what: 'the same, p50', value: added(0.5), unit: 'ms' },
    );
    const { ours, theirs } = await rates(stage, keys, other, { rounds, seconds });
    figures.push({
      id: 'P22',
      what: `calls a second with ledger and budget, ${CONNECTIONS} connections`,
      value: ours,
      unit: '/s',
      ...(theirs !== undefined && {
        beside: { what: '@portkey-ai/gateway, no ledger', value: theirs },
        goal: { ratioAtLeast: 1 },
      }),
    });
  } finally {
    await stage.close();
    await other?.stop();
    await model.stop();
  }
  figures.push({
    id: 'P22',
    what: `memory a call, ${AT_ONCE} at once`,
    value: await memoryOfCalls(),
    unit: 'MiB',
    goal: { atMost: 0.2 },
  });
  return figures;
}
