// The demo's progress: a few lines that are redrawn in place on a terminal, and one line for each
// change of state everywhere else.
import type { WriteStream } from 'node:tty';
import type { DemoJob, DemoProgress } from './demo-jobs.ts';
import { styled } from './output.ts';
import type { Progress } from './progress.ts';

export interface DemoView {
  update(streamId: string, progress: DemoProgress): void;
  close(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 80;

function details(progress: DemoProgress, seconds: number): string {
  if (progress.error !== undefined) return progress.error;
  const size =
    progress.tokens === undefined
      ? `${progress.characters} characters`
      : `${progress.tokens} tokens`;
  const files = progress.files.length > 0 ? `  ${progress.files.join(', ')}` : '';
  return `${size.padEnd(16)} ${seconds.toFixed(1)}s${files}`;
}

export function createDemoView(
  jobs: readonly DemoJob[],
  stream: WriteStream,
  mode: Progress,
): DemoView {
  const started = performance.now();
  const states = new Map<string, { progress: DemoProgress; seconds: number }>();
  const live = mode === 'tty';
  const width = Math.max(...jobs.map((job) => job.streamId.length));
  const silent = mode === 'quiet';
  let drawn = 0;
  let frame = 0;

  function mark(progress: DemoProgress | undefined): string {
    if (progress?.state === 'completed') return styled('green', '✓');
    if (progress?.state === 'failed') return styled('red', '✗');
    return progress?.state === 'running' ? (FRAMES[frame % FRAMES.length] ?? '') : '·';
  }

  function lineOf(job: DemoJob): string {
    const state = states.get(job.streamId);
    const text = state ? details(state.progress, state.seconds) : 'waiting';
    const line = ` ${mark(state?.progress)} ${job.streamId.padEnd(width)}  ${job.model.padEnd(12)}  ${text}`;
    const note = state?.progress.state === 'completed' ? '' : `  (${job.about})`;
    return line + styled('dim', note);
  }

  function draw(): void {
    const up = drawn > 0 ? `\u001b[${drawn}A` : '';
    const lines = jobs.map((job) => `\u001b[2K${lineOf(job)}\n`).join('');
    stream.write(up + lines);
    drawn = jobs.length;
  }

  const timer = live
    ? setInterval(() => {
        frame += 1;
        draw();
      }, FRAME_MS)
    : undefined;

  return {
    update(streamId, progress) {
      const before = states.get(streamId)?.progress.state;
      states.set(streamId, { progress, seconds: (performance.now() - started) / 1000 });
      if (live || silent || before === progress.state) return;
      const job = jobs.find((each) => each.streamId === streamId)!;
      const ended = progress.state === 'completed' || progress.state === 'failed';
      const text = ended ? details(progress, (performance.now() - started) / 1000) : job.about;
      stream.write(
        `${progress.state.padEnd(9)} ${streamId.padEnd(width)}  ${job.model.padEnd(12)}  ${text}\n`,
      );
    },
    close() {
      clearInterval(timer);
      if (live) draw();
    },
  };
}
