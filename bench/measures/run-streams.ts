// What a run of many streams adds to the time of its model calls, and the memory it takes.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MillraceClient } from '../../src/client/index.ts';
import { now } from '../harness/clock.ts';
import type { Stage } from '../harness/stage.ts';
import type { Figure } from '../report.ts';

const STREAMS = 1_000;
const LAYERS = 10;
const PLACES = 64;
/** How long the simulated model takes over each answer. */
const MODEL_MS = 2_000;

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Every stream waits for one of the layer before, so that there is always something to start. */
function manifest(): string {
  const width = STREAMS / LAYERS;
  const streams = Array.from({ length: STREAMS }, (_, i) => {
    const layer = Math.floor(i / width);
    const dep = layer === 0 ? '[]' : `[s${i - width}]`;
    return `  s${i}:\n    name: Stream ${i}\n    deps: ${dep}\n    owns: [out/f${i}.txt]\n    plan: "[[sim:delay ${MODEL_MS}]]"\n`;
  });
  return `feature: many\nmodel: sim-instant\nmaxTokens: 500\nstreams:\n${streams.join('')}`;
}

/** The most memory that a process has had, in MiB, as the kernel tells it. */
function peakMiB(pid: number): number {
  try {
    const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(line?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** The same calls without anything around them: as many at a time, one after the other. */
async function bareCallsMs(stage: Stage): Promise<number> {
  const client = new MillraceClient(stage.url, stage.key);
  const startedAt = now();
  let next = 0;
  const one = async () => {
    while (next < STREAMS) {
      const streamId = `bare-${next++}`;
      const prompt = `[[sim:delay ${MODEL_MS}]]\nowns: out/${streamId}.txt`;
      const job = { streamId, prompt, model: 'sim-instant', maxTokens: 500, runId: 'bare' };
      const { jobId } = await client.execute(job);
      await client.getJob(jobId, { waitSeconds: 25 });
    }
  };
  await Promise.all(Array.from({ length: PLACES }, one));
  return now() - startedAt;
}

export async function measureRun(stage: Stage): Promise<Figure[]> {
  const root = mkdtempSync(join(tmpdir(), 'millrace-bench-run-'));
  try {
    writeFileSync(join(root, 'millrace.yaml'), manifest());
    const startedAt = now();
    const child = spawn(
      process.execPath,
      [MAIN, 'run', '--yes', '--progress', 'quiet', '--concurrency', String(PLACES)],
      {
        cwd: root,
        env: { ...process.env, MILLRACE_URL: stage.url, MILLRACE_API_KEY: stage.key },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    let peak = 0;
    const timer = setInterval(() => (peak = Math.max(peak, peakMiB(child.pid ?? 0))), 200);
    const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
    clearInterval(timer);
    if (code !== 0) throw new Error(`the run ended with ${code}`);
    const value = now() - startedAt;
    const bare = await bareCallsMs(stage);
    return [
      {
        id: 'run',
        what: `a run of ${STREAMS} streams in ${LAYERS} layers, ${PLACES} at a time`,
        value: value / 1000,
        unit: 's',
        beside: { what: 's for the calls alone', value: bare / 1000 },
        goal: { ratioAtMost: 1.05 },
      },
      {
        id: 'run',
        what: 'memory of the command',
        value: peak,
        unit: 'MiB',
        goal: { atMost: 300 },
      },
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
