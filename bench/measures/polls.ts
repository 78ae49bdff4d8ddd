// P5: polls a second of one process, with authentication and limits, beside the least possible.
import { startChild } from '../harness/child.ts';
import { getText } from '../harness/http-text.ts';
import type { Stage } from '../harness/stage.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';

const JOBS = 500;

/** Jobs that run for the whole measure: polls of ended jobs would come from memory. */
export async function runningJobs(stage: Stage, count = JOBS): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const { jobId } = await stage.call('POST', '/api/v1/execute', {
      streamId: `poll-${i}`,
      prompt: '[[sim:hang]]',
      model: 'sim-instant',
      maxTokens: 10,
      timeoutMs: 3_600_000,
    });
    ids.push(String(jobId));
  }
  return ids;
}

export async function cancelAll(stage: Stage, ids: readonly string[]): Promise<void> {
  for (const id of ids) await stage.call('POST', `/api/v1/job/${id}/cancel`);
}

export async function pollRate(
  stage: Stage,
  ids: readonly string[],
  seconds: number,
): Promise<number> {
  const requests = ids.map((id) => getText(`/api/v1/job/${id}`, stage.key));
  const result = await stage.load({ connections: 32, seconds, requests });
  if (result.failed > 0) throw new Error(`${result.failed} polls failed`);
  return result.perSecond;
}

export async function measurePolls(
  stage: Stage,
  rounds: number,
  seconds: number,
): Promise<Figure[]> {
  const floor = startChild('./floor-server.ts', { DATABASE_URL: stage.databaseUrl });
  const { url } = await floor.waitFor<{ url: string }>('ready');
  const ids = await runningJobs(stage, 200);
  const floorRequests = ids.map((id) => getText(`/job/${id}`, stage.key));
  const ours: number[] = [];
  const floors: number[] = [];
  await pollRate(stage, ids, 1);
  for (let round = 0; round < rounds; round++) {
    ours.push(await pollRate(stage, ids, seconds));
    const result = await stage.load({ url, connections: 32, seconds, requests: floorRequests });
    floors.push(result.perSecond);
  }
  await cancelAll(stage, ids);
  await floor.stop();
  return [
    {
      id: 'P5',
      what: 'polls a second, 32 connections',
      value: median(ours),
      unit: '/s',
      beside: { what: 'bare Fastify and a pooled select', value: median(floors) },
      goal: { ratioAtLeast: 0.8 },
    },
  ];
}
