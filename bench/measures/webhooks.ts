// P15: webhook deliveries a second of one node over many addresses, beside bare POSTs, and what
// addresses that never answer cost the others. The stage must allow private targets.
import { newId } from '../../src/platform/ids.ts';
import { emitEvent } from '../../src/store/webhooks/webhook-outbox.ts';
import { startChild } from '../harness/child.ts';
import type { Child } from '../harness/child.ts';
import type { Stage } from '../harness/stage.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';

const ENDPOINTS = 50;
const DEAD = 5;
/** Of each round, to every address. */
const EVENTS = 100;

interface Arrivals {
  count: number;
  first: number;
  last: number;
}

async function register(stage: Stage, url: string, events: string[]): Promise<string> {
  const { id } = await stage.call('POST', '/v1/webhooks', { url, events });
  if (typeof id !== 'string') throw new Error(`cannot register ${url}`);
  return id;
}

async function emitMany(stage: Stage, event: 'execution.completed' | 'execution.failed') {
  const { rows } = await stage.db.query<{ userId: string; teamId: string }>(
    'select personal_user_id as "userId", id as "teamId" from teams limit 1',
  );
  const owner = rows[0]!;
  const data = { status: 'completed', result: { success: true, summary: 'x'.repeat(1000) } };
  // In one transaction: all of them wait when the node begins.
  await stage.db.tx(async (tx) => {
    for (let n = 0; n < EVENTS; n++) {
      const about = { ...owner, executionId: newId('exec'), sequence: 1, timestamp: new Date() };
      await emitEvent(tx, { ...about, event, data });
    }
  });
}

async function rateOf(receiver: Child, start: () => Promise<unknown>): Promise<number> {
  await receiver.ask({ ask: 'reset' }, 'done');
  await start();
  for (;;) {
    const seen = await receiver.ask<Arrivals>({ ask: 'arrivals' }, 'arrivals');
    if (seen.count >= EVENTS * ENDPOINTS) return (seen.count * 1000) / (seen.last - seen.first);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function measureWebhooks(stage: Stage, rounds: number): Promise<Figure[]> {
  const receiver = startChild('./hook-receiver.ts');
  const { url } = await receiver.waitFor<{ url: string }>('ready');
  const floor = startChild('./floor-posts.ts');
  await floor.waitFor('ready');
  const urls = Array.from({ length: ENDPOINTS }, (_, n) => `${url}/ok${n}`);
  for (const each of urls) await register(stage, each, ['*']);
  const posts = { ask: 'posts', urls, each: EVENTS, body: JSON.stringify({ x: 'x'.repeat(1200) }) };
  const ours: number[] = [];
  const bare: number[] = [];
  const besideDead: number[] = [];
  await rateOf(receiver, () => emitMany(stage, 'execution.completed'));
  for (let round = 0; round < rounds; round++) {
    ours.push(await rateOf(receiver, () => emitMany(stage, 'execution.completed')));
    bare.push(await rateOf(receiver, () => floor.ask(posts, 'done')));
    const dead: string[] = [];
    for (let n = 0; n < DEAD; n++) {
      dead.push(await register(stage, `${url}/dead${n}`, ['execution.failed']));
    }
    besideDead.push(await rateOf(receiver, () => emitMany(stage, 'execution.failed')));
    for (const id of dead) await stage.call('DELETE', `/v1/webhooks/${id}`);
  }
  await floor.stop();
  await receiver.stop();
  return [
    {
      id: 'P15',
      what: `webhook deliveries a second, ${ENDPOINTS} addresses`,
      value: median(ours),
      unit: '/s',
      beside: { what: 'POSTs by bare undici', value: median(bare) },
      goal: { atLeast: 500 },
    },
    {
      id: 'P15',
      what: `the same beside ${DEAD} addresses that never answer`,
      value: median(besideDead),
      unit: '/s',
      beside: { what: 'without them', value: median(ours) },
      goal: { ratioAtLeast: 0.9 },
    },
  ];
}
