// The jobs of the demo, submitted and followed over HTTP like any client does.
import type { MillraceClient } from '../client/index.ts';

export interface DemoJob {
  streamId: string;
  waveNumber: number;
  model: string;
  prompt: string;
  about: string;
}

export const DEMO_JOBS: readonly DemoJob[] = [
  {
    streamId: 'schema',
    waveNumber: 1,
    model: 'sim-fast',
    prompt: 'Design the tables of a small shop.\nowns: db/schema.sql',
    about: 'a quick model',
  },
  {
    streamId: 'api',
    waveNumber: 1,
    model: 'sim-standard',
    prompt: 'Write the routes of a small shop.\nowns: src/routes.ts, src/cart.ts',
    about: 'two files',
  },
  {
    streamId: 'docs',
    waveNumber: 1,
    model: 'sim-standard',
    prompt: 'Describe the shop.\nowns: README.md\n[[sim:fail 1 overloaded]]',
    about: 'the first call fails and is repeated',
  },
  {
    streamId: 'review',
    waveNumber: 1,
    model: 'sim-standard',
    prompt: 'Review the shop.\n[[sim:no-artifact]]',
    about: 'text only',
  },
];

export interface DemoProgress {
  state: 'pending' | 'running' | 'completed' | 'failed';
  characters: number;
  tokens: number | undefined;
  files: readonly string[];
  error: string | undefined;
}

export function submitDemoJob(
  client: MillraceClient,
  job: DemoJob,
  runId: string,
): Promise<{ jobId: string }> {
  const { streamId, prompt, model, waveNumber } = job;
  return client.execute({
    streamId,
    prompt,
    model,
    maxTokens: 2000,
    waveNumber,
    runId,
    feature: 'demo-shop',
  });
}

/** Tells the progress until the job has ended; true when it completed. */
export async function followDemoJob(
  client: MillraceClient,
  jobId: string,
  options: { signal: AbortSignal; onProgress(progress: DemoProgress): void },
): Promise<boolean> {
  const progress: DemoProgress = {
    state: 'pending',
    characters: 0,
    tokens: undefined,
    files: [],
    error: undefined,
  };
  for await (const event of client.jobEvents(jobId, { signal: options.signal })) {
    if (event.type === 'status') progress.state = event.status;
    if (event.type === 'text') progress.characters = event.offset + event.text.length;
    if (event.type === 'done') {
      const { job } = event;
      progress.state = job.status;
      if ('tokensUsed' in job) progress.tokens = job.tokensUsed.input + job.tokensUsed.output;
      if (job.status === 'completed') progress.files = job.artifact?.filesChanged ?? [];
      if (job.status === 'failed') progress.error = job.error;
    }
    options.onProgress({ ...progress });
  }
  return progress.state === 'completed';
}
