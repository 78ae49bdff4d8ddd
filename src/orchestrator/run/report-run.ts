// Reports to the server how the run goes, so that it can be watched elsewhere. The run never waits for it
// and never fails because of it: what could not be sent is sent with the next report.
import { MillraceError } from '../../client/index.ts';
import type { MillraceClient } from '../../client/index.ts';
import type { RunEvent } from '../../contract/run-events.ts';
import type { RunProgress } from '../../contract/run-progress.ts';
import { MAX_MANIFEST_BYTES } from '../../contract/run-report-api.ts';
import type { ChangedFile, RunManifest, StreamChanges } from '../../contract/run-report-api.ts';
import { isRunEnd } from '../../domain/run/events.ts';
import { createProjector, isSettled } from '../../domain/run/projection.ts';
import type { RunProjection } from '../../domain/run/projection.ts';
import type { FileChange } from '../apply/file-change.ts';
import { changesByStream } from '../changes/applied-changes.ts';
import { toChangedFile } from '../changes/changed-file.ts';

export interface RunReporter {
  add(event: RunEvent): void;
  /** Sends what is left, as far as that is quickly done. */
  close(): Promise<void>;
}

export interface ReporterOptions {
  client: MillraceClient;
  stateDir: string;
  /** Its text, without secrets. */
  manifest: string;
  /** A user has asked for it where they watch. */
  onStopRequested(): void;
  /** The server has taken a report: from the first one on, the run can be watched there. */
  onReported?(): void;
  /** How often it is reported; less often while nothing happens. */
  intervalMs?: number;
}

const INTERVAL_MS = 1000;
/** Says that the run is still there, and asks whether it should stop. */
const HEARTBEAT_MS = 3000;
const ANSWER_MS = 10_000;
const LAST_MS = 3000;
/** Between tries to tell the last of it. */
const AGAIN_MS = 200;
const MAX_EVENTS = 200;
const MAX_EVENT_BYTES = 2_000_000;
const MAX_PATCH = 200_000;
const MAX_FILES = 2000;
const MAX_MODELS = 100;

/** The server does not know such reports, or does not take them from this key. */
const TOO_LARGE = 413;
const FINAL = new Set([400, 401, 403, 404, 405, TOO_LARGE]);

/** Without a patch that is too long to send. */
function toReported(change: FileChange): ChangedFile {
  const { diff, ...file } = toChangedFile(change);
  return { ...file, patch: diff.length > MAX_PATCH ? null : diff };
}

function summaryOf(projection: RunProjection, models: readonly string[]): RunProgress {
  const rows = [...projection.streams.values()].filter(({ fixOf }) => fixOf === undefined);
  const isDone = (status: string) => status === 'complete' || status === 'skipped';
  const open = rows.filter((row) => !isSettled(projection, row)).map(({ wave }) => wave);
  const waves = Math.max(0, ...rows.map(({ wave }) => wave));
  const problem = rows.findLast(({ error }) => error !== undefined)?.error;
  return {
    done: rows.filter(({ status }) => isDone(status)).length,
    failed: rows.filter(({ status }) => status === 'failed').length,
    total: rows.length,
    wave: open.length > 0 ? Math.min(...open) : waves,
    waves,
    simulated: projection.simulated,
    models: models.slice(0, MAX_MODELS),
    ...(problem === undefined ? {} : { problem: problem.slice(0, 500) }),
  };
}

function manifestOf(text: string): RunManifest {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_MANIFEST_BYTES) return { text, isCut: false };
  // As a stream: a character that is cut in the middle is left out.
  const start = new TextDecoder().decode(bytes.subarray(0, MAX_MANIFEST_BYTES), { stream: true });
  return { text: start, isCut: true };
}

function batchOf(events: readonly RunEvent[]): RunEvent[] {
  let bytes = 0;
  const end = events.findIndex(
    (event) => (bytes += JSON.stringify(event).length) > MAX_EVENT_BYTES,
  );
  return events.slice(0, Math.min(MAX_EVENTS, end < 0 ? MAX_EVENTS : Math.max(1, end)));
}

export function createRunReporter(options: ReporterOptions): RunReporter {
  const { client, stateDir } = options;
  const projector = createProjector();
  const { projection } = projector;
  const stop = new AbortController();
  /** Not known to be with the server yet. */
  let events: RunEvent[] = [];
  let changed = new Set<string>();
  let hasNews = false;
  let isRefused = false;
  /** The server has no room for more changes; it still takes events. */
  let hasRoom = true;
  let hasManifest = false;
  let models: readonly string[] = [];
  let wake = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;

  function progressOf(): Record<string, number> {
    const live = [...projection.streams.values()].filter(({ liveTokens }) => liveTokens > 0);
    return Object.fromEntries(live.map(({ id, liveTokens }) => [id, liveTokens]));
  }

  async function changesOf(ids: ReadonlySet<string>): Promise<StreamChanges[]> {
    if (ids.size === 0) return [];
    const changes = await changesByStream(stateDir, projection.runId, ids);
    return [...changes].map(([streamId, net]) => ({
      streamId,
      files: net.slice(0, MAX_FILES).map(toReported),
    }));
  }

  async function send(): Promise<void> {
    const sending = changed;
    changed = new Set();
    hasNews = false;
    const batch = batchOf(events);
    const attempt = new AbortController();
    try {
      const { lastSeq, cancelRequested } = await client.reportRun(
        projection.runId,
        {
          name: projection.manifest.slice(0, 200) || projection.runId,
          events: batch,
          progress: progressOf(),
          changes: hasRoom ? await changesOf(sending) : [],
          summary: summaryOf(projection, models),
          ...(hasManifest ? {} : { manifest: manifestOf(options.manifest) }),
        },
        {
          signal: AbortSignal.any([attempt.signal, AbortSignal.timeout(ANSWER_MS)]),
          // A long wait for another try may outlast the run although the server is back: what is left would
          // never be sent. The next report is sent sooner, and with more in it.
          onWait(_delayMs, error) {
            if ((error as Partial<MillraceError>).status !== 429) attempt.abort();
          },
        },
      );
      hasManifest = true;
      const before = events.length;
      events = events.filter(({ seq }) => seq > lastSeq);
      // What does not follow on what the server has, it will not take later either.
      if (batch.length > 0 && events.length === before) events = events.slice(batch.length);
      options.onReported?.();
      if (cancelRequested) options.onStopRequested();
    } catch (error) {
      const status = error instanceof MillraceError ? error.status : 0;
      if (status === TOO_LARGE && hasRoom && sending.size > 0) hasRoom = false;
      else isRefused = FINAL.has(status);
      for (const id of sending) changed.add(id);
      hasNews = true;
    }
  }

  async function loop(): Promise<void> {
    while (!stop.signal.aborted && !isRefused) {
      timer = setTimeout(
        wake.resolve,
        hasNews ? (options.intervalMs ?? INTERVAL_MS) : HEARTBEAT_MS,
      );
      await wake.promise;
      clearTimeout(timer);
      wake = Promise.withResolvers<void>();
      // A run that has nothing to do is no news.
      if (!stop.signal.aborted && !projection.isIdle) await send();
    }
  }

  let running: Promise<void> | undefined;
  return {
    add(event) {
      if (isRefused) return;
      projector.follow(event);
      if (event.type === 'run.started') models = event.models ?? [];
      if (event.type !== 'stream.progress') events.push(event);
      const writes = ['stream.applied', 'stream.rolled_back', 'stream.completed'];
      if ('stream' in event && writes.includes(event.type)) changed.add(event.stream);
      const isFirst = !hasNews;
      hasNews = true;
      running ??= loop();
      // The start and the end are reported at once, the rest together.
      if (event.type === 'run.started' || isRunEnd(event)) wake.resolve();
      else if (isFirst) {
        clearTimeout(timer);
        timer = setTimeout(wake.resolve, options.intervalMs ?? INTERVAL_MS);
      }
    },
    async close() {
      stop.abort();
      wake.resolve();
      const until = Date.now() + LAST_MS;
      const late = new Promise<void>((resolve) => setTimeout(resolve, LAST_MS).unref());
      await Promise.race([running, late]);
      while (events.length > 0 && !isRefused && !projection.isIdle && Date.now() < until) {
        await Promise.race([send(), late]);
        if (hasNews) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    },
  };
}
