// What clients do meanwhile: submit, look, cancel, start executions, and try what they must not.
import { setTimeout as delay } from 'node:timers/promises';
import { createKeyIn } from '../test/support/chaos/accounts.ts';
import { createChaosClient } from '../test/support/chaos/client.ts';
import type { ChaosClient } from '../test/support/chaos/client.ts';
import { createHistory, isFinal } from '../test/support/chaos/history.ts';
import type { History } from '../test/support/chaos/history.ts';
import type { Random } from '../test/support/chaos/random.ts';
import type { World } from './world.ts';

/** A text that only its own team may ever see again. */
export const canaryOf = (team: string): string => `canary-of-${team}-7f3a`;

export interface Team {
  name: string;
  key: string;
  client: ChaosClient;
}

export interface Load {
  teams: Team[];
  history: History;
  /** Jobs whose cancel was answered with yes. */
  cancelled: Set<string>;
  executions: Set<string>;
  /** Submits of the team with a quota that were accepted. */
  metered: { limit: number; accepted: number };
  /** Answered requests of the key with a rate, by time. */
  paced: { perMinute: number; times: number[] };
  /** Until told to stop; rejects only when a client could not go on. */
  run(until: () => boolean): Promise<void>;
}

const PACES = [
  '',
  '[[sim:delay 200]]',
  '[[sim:delay 1500]]',
  '[[sim:tokens 120]]',
  // Vendors have bad days, too: these answer at the second or third call.
  '[[sim:fail 1 upstream]]',
  '[[sim:fail 2 network]]',
  '[[sim:fail 1 rate_limit retry-after=1]]',
];
/** Whoever never waits for an answer makes the queue longer and longer, and a long run would never be over. */
const JOBS_AHEAD = 25;
const QUOTA = 50;
const PER_MINUTE = 120;

async function call(
  url: string,
  key: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

export async function createLoad(world: World, random: Random): Promise<Load> {
  const history = createHistory();
  const url = () => world.apiUrl(random.pick);
  const newTeam = async (name: string): Promise<Team> => {
    const key = await createKeyIn(world.db);
    return { name, key, client: createChaosClient({ url, apiKey: key, history }) };
  };
  const teams = [await newTeam('alder'), await newTeam('birch')];
  const meteredKey = await createKeyIn(world.db, 'trial');
  const pacedKey = await createKeyIn(world.db);
  const { rows } = await world.db.query<{ id: string }>(
    'select id from users order by created_at desc limit 1',
  );
  await world.db.query('update users set requests_per_minute = $2 where id = $1', [
    rows[0]!.id,
    PER_MINUTE,
  ]);
  const load: Load = {
    teams,
    history,
    cancelled: new Set(),
    executions: new Set(),
    metered: { limit: QUOTA, accepted: 0 },
    paced: { perMinute: PER_MINUTE, times: [] },
    run,
  };

  async function submits(team: Team, name: string, until: () => boolean): Promise<void> {
    for (let count = 0; !until(); count++) {
      const prompt = `${canaryOf(team.name)} ${random.pick(PACES)}`;
      const jobId = await team.client.submit(`${name}-${count}`, { model: 'sim-fast', prompt });
      await team.client.look(jobId);
      if (random.chance(0.1)) await cancel(team, jobId);
      if (count % JOBS_AHEAD === 0) await untilEnded(team, jobId, until);
      await delay(random.between(20, 120));
    }
  }

  async function untilEnded(team: Team, jobId: string, until: () => boolean): Promise<void> {
    while (!until()) {
      if (isFinal((await team.client.wait(jobId))?.status)) return;
      await delay(random.between(20, 120));
    }
  }

  async function cancel(team: Team, jobId: string): Promise<void> {
    const at = url();
    if (at === undefined) return;
    const answer = await call(at, team.key, `/api/v1/job/${jobId}/cancel`, {});
    if (answer?.status === 200 && answer.text.includes('true')) load.cancelled.add(jobId);
  }

  /** Somebody who looks at what belongs to others. */
  async function pries(until: () => boolean): Promise<void> {
    const [owner, other] = teams as [Team, Team];
    while (!until()) {
      await delay(random.between(100, 400));
      const at = url();
      const foreign = history.jobIds().filter((id) => history.keyOf(id)?.startsWith(owner.name));
      if (at === undefined || foreign.length === 0) continue;
      const answer = await call(at, other.key, `/api/v1/job/${random.pick(foreign)}?view=full`);
      if (answer === undefined || answer.status === 503) continue;
      if (answer.status !== 403)
        history.violated(`I9: a foreign job was answered ${answer.status}`);
      if (answer.text.includes(canaryOf(owner.name)))
        history.violated('I9: a foreign job was shown');
    }
  }

  async function executes(team: Team, until: () => boolean): Promise<void> {
    const hook = { url: `${world.receiver.url}/hook`, events: ['*'] };
    let hasHook = false;
    for (let count = 0; !until(); count++) {
      await delay(random.between(500, 1500));
      const at = url();
      if (at === undefined) continue;
      if (!hasHook) {
        hasHook = (await call(at, team.key, '/v1/webhooks', hook))?.status === 201;
        continue;
      }
      const body = { task: `${canaryOf(team.name)} task ${count}`, model: 'sim-fast' };
      const answer = await call(at, team.key, '/v1/executions', body);
      if (answer !== undefined && answer.status < 300) {
        load.executions.add((JSON.parse(answer.text) as { id: string }).id);
      }
    }
  }

  async function spendsQuota(until: () => boolean): Promise<void> {
    for (let count = 0; !until(); count++) {
      await delay(random.between(100, 300));
      const at = url();
      if (at === undefined) continue;
      const body = {
        streamId: `metered-${count}`,
        model: 'sim-instant',
        prompt: 'hello',
        maxTokens: 50,
      };
      const answer = await call(at, meteredKey, '/api/v1/execute', body);
      if (answer?.status === 202) load.metered.accepted += 1;
    }
  }

  async function hurries(until: () => boolean): Promise<void> {
    while (!until()) {
      await delay(random.between(20, 60));
      const at = url();
      if (at === undefined) continue;
      const answer = await call(at, pacedKey, '/api/v1/history?limit=1');
      if (answer?.status === 200) load.paced.times.push(performance.now());
    }
  }

  async function run(until: () => boolean): Promise<void> {
    await Promise.all([
      ...teams.flatMap((team) =>
        [1, 2, 3].map((nth) => submits(team, `${team.name}-${nth}`, until)),
      ),
      pries(until),
      executes(teams[0]!, until),
      spendsQuota(until),
      hurries(until),
    ]);
  }
  return load;
}
