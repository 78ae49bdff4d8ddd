// The jobs of the demo, submitted and followed over HTTP like any client does.
import { readEvents } from './event-stream.ts';

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

interface Target {
  url: string;
  key: string;
}

export async function submitDemoJob(target: Target, job: DemoJob, runId: string): Promise<string> {
  const response = await fetch(`${target.url}/api/v1/execute`, {
    method: 'POST',
    headers: { 'x-api-key': target.key, 'content-type': 'application/json' },
    body: JSON.stringify({
      streamId: job.streamId,
      prompt: job.prompt,
      model: job.model,
      maxTokens: 2000,
      waveNumber: job.waveNumber,
      runId,
      feature: 'demo-shop',
    }),
  });
  const body = (await response.json()) as { jobId?: string; error?: { message: string } };
  if (body.jobId === undefined) throw new Error(body.error?.message ?? `status ${response.status}`);
  return body.jobId;
}

interface EndedJob {
  status: 'completed' | 'failed';
  error?: string;
  artifact?: { filesChanged: string[] };
  tokensUsed: { input: number; output: number };
}

/** Tells the progress until the job has ended; true when it completed. */
export async function followDemoJob(
  target: Target,
  jobId: string,
  options: { signal: AbortSignal; onProgress(progress: DemoProgress): void },
): Promise<boolean> {
  const response = await fetch(`${target.url}/api/v1/job/${jobId}/events`, {
    headers: { 'x-api-key': target.key },
    signal: options.signal,
  });
  if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
  const progress: DemoProgress = {
    state: 'pending',
    characters: 0,
    tokens: undefined,
    files: [],
    error: undefined,
  };
  for await (const { event, data } of readEvents(response.body)) {
    if (event === 'status')
      progress.state = (JSON.parse(data) as { status: 'pending' | 'running' }).status;
    if (event === 'text') {
      const { offset, text } = JSON.parse(data) as { offset: number; text: string };
      progress.characters = offset + text.length;
    }
    if (event === 'done') {
      const job = JSON.parse(data) as EndedJob;
      progress.state = job.status;
      progress.tokens = job.tokensUsed.input + job.tokensUsed.output;
      progress.files = job.artifact?.filesChanged ?? [];
      progress.error = job.error;
    }
    options.onProgress({ ...progress });
  }
  return progress.state === 'completed';
}
