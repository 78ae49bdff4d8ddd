// Real worker processes on a database of one's own, beside an API node in this process.
import { MAIN, cleanEnv } from '../support/cli.ts';
import { startNode, waitUntil } from '../support/processes.ts';
import type { NodeProcess } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';

export interface Worker {
  nodeId: string;
  process: NodeProcess;
}

export interface Cluster {
  api: TestServer;
  /** Starts a worker and waits until it is a member. */
  startWorker(settings?: Record<string, string>): Promise<Worker>;
  nodeIds(): Promise<string[]>;
  job(jobId: string): Promise<JobState>;
  /** Waits until some worker runs this attempt of the job. */
  running(jobId: string, attempt?: number): Promise<JobState>;
  ledger(jobId: string): Promise<LedgerRow[]>;
  close(): Promise<void>;
}

export interface JobState {
  status: string;
  attempt: number;
  losses: number;
  node_id: string | null;
  error_code: string | null;
}

export interface LedgerRow {
  attempt: number;
  outcome: string;
  tokens_output: number;
}

export async function startCluster(): Promise<Cluster> {
  const api = await startTestServer({ role: 'api' });
  const workers: NodeProcess[] = [];

  async function nodeIds(): Promise<string[]> {
    const { rows } = await api.db.query<{ id: string }>(
      'select id from nodes where slots > 0 order by id',
    );
    return rows.map((row) => row.id);
  }

  async function job(jobId: string): Promise<JobState> {
    const { rows } = await api.db.query<JobState>(
      'select status, attempt, losses, node_id, error_code from jobs where id = $1',
      [jobId],
    );
    return rows[0]!;
  }

  return {
    api,
    nodeIds,
    job,
    async startWorker(settings = {}) {
      const before = new Set(await nodeIds());
      const process_ = startNode(MAIN, ['serve', '--role', 'worker', '--json'], {
        env: cleanEnv({ DATABASE_URL: api.databaseUrl, ...settings }),
      });
      workers.push(process_);
      await process_.waitFor(/"ready":true/);
      const nodeId = (await nodeIds()).find((id) => !before.has(id));
      if (nodeId === undefined) throw new Error('the worker is ready but no member');
      return { nodeId, process: process_ };
    },
    running: (jobId, attempt = 1) =>
      waitUntil(async () => {
        const state = await job(jobId);
        return state.status === 'running' && state.attempt === attempt ? state : undefined;
      }, `attempt ${attempt} of ${jobId}`),
    async ledger(jobId) {
      const { rows } = await api.db.query<LedgerRow>(
        `select attempt, outcome, tokens_output from usage_ledger
         where job_id = $1 order by attempt`,
        [jobId],
      );
      return rows;
    },
    async close() {
      // SIGKILL also ends a process that is stopped.
      await Promise.all(workers.map((worker) => worker.kill('SIGKILL')));
      await api.close();
    },
  };
}
