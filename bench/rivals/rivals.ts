// Everything that whole jobs are measured beside.
import { NotInstalled } from '../harness/job-system.ts';
import type { JobSystem } from '../harness/job-system.ts';
import { startBullmq } from './bullmq/system.ts';
import { startCelery } from './celery/system.ts';
import { startLanggraph } from './langgraph/system.ts';
import { startRestate } from './restate/system.ts';

interface Rival extends Pick<JobSystem, 'goal'> {
  start(modelUrl: string): Promise<JobSystem>;
}

const DURABLE_QUEUE = { 16: 1, 64: 1.5 };
const AHEAD = { 16: 1, 64: 1 };

const RIVALS: Record<string, Rival> = {
  // As many at once as Millrace runs by default.
  'bullmq-always': {
    start: (modelUrl) => startBullmq(modelUrl, { fsync: 'always', concurrency: 256 }),
    goal: DURABLE_QUEUE,
  },
  'bullmq-always-12': {
    start: (modelUrl) => startBullmq(modelUrl, { fsync: 'always', concurrency: 12 }),
    goal: DURABLE_QUEUE,
  },
  'bullmq-everysec': {
    start: (modelUrl) => startBullmq(modelUrl, { fsync: 'everysec', concurrency: 256 }),
  },
  celery: { start: startCelery, goal: AHEAD },
  restate: { start: startRestate, goal: AHEAD },
  langgraph: { start: startLanggraph, goal: AHEAD },
};

/**
 * Those that are installed; of the others a line says how to get them. BENCH_SYSTEMS names the ones
 * that are wanted, or none.
 */
export async function* startRivals(modelUrl: string): AsyncGenerator<JobSystem> {
  const asked = process.env['BENCH_SYSTEMS']?.split(',');
  for (const [id, { start, ...rest }] of Object.entries(RIVALS)) {
    if (asked !== undefined && !asked.includes(id)) continue;
    try {
      yield { ...(await start(modelUrl)), ...rest };
    } catch (error) {
      if (!(error instanceof NotInstalled)) throw error;
      process.stderr.write(`skipping ${id}: ${error.message}\n`);
    }
  }
}
