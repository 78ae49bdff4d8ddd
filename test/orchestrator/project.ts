// A project in a temporary folder, and runs of manifests in it against a real server.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { load } from 'js-yaml';
import { MillraceClient } from '../../src/client/index.ts';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { runManifest } from '../../src/orchestrator/run/run.ts';
import type { RunEnd, RunOptions } from '../../src/orchestrator/run/context.ts';
import { newId } from '../../src/platform/ids.ts';
import { placeIn } from './apply-project.ts';

export interface Server {
  url: string;
  key: string;
}

export interface StreamState {
  status?: string;
  error?: string;
  attempts?: number;
  appliedAt?: string;
  parentStreamId?: string;
  skippedBy?: string;
}

export interface Ran extends RunEnd {
  events: RunEvent[];
  /** Types of the events of one stream, in order. */
  of(stream: string): string[];
}

export interface Project {
  root: string;
  write(path: string, text: string): void;
  read(path: string): string;
  exists(path: string): boolean;
  /** All files but the state of Millrace, with their texts. */
  tree(): Record<string, string>;
  streams(): Record<string, StreamState>;
  run(server: Server, more?: Partial<RunOptions>): Promise<Ran>;
  remove(): void;
}

function listFiles(root: string, folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name === '.millrace') return [];
    return entry.isDirectory() ? listFiles(root, path) : [relative(root, path)];
  });
}

export function optionsFor(
  root: string,
  server: Server,
  more: Partial<RunOptions> = {},
): RunOptions {
  return {
    ...placeIn(root),
    manifestFile: join(root, 'millrace.yaml'),
    client: new MillraceClient(server.url, server.key),
    url: server.url,
    newRunId: () => newId('run'),
    model: undefined,
    fallbackModel: 'sim-instant',
    concurrency: 8,
    laneOf: () => 'sim',
    maxCostUsd: undefined,
    priceOf: (_, tokens) => (tokens.input * 3 + tokens.output * 15) / 1e6,
    apply: 'auto',
    selection: { only: [], from: [], skip: [] },
    env: process.env,
    scrub: (text) => text,
    warm: true,
    isLive: false,
    now: () => new Date(),
    stop: new AbortController().signal,
    onEvent: () => {},
    ...more,
  };
}

export function createProject(manifest: string, files: Record<string, string> = {}): Project {
  const root = mkdtempSync(join(tmpdir(), 'millrace-project-'));
  const project: Project = {
    root,
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
    exists: (path) => listFiles(root).includes(path),
    tree: () =>
      Object.fromEntries(
        listFiles(root)
          .sort()
          .map((path) => [path, project.read(path)]),
      ),
    streams: () =>
      (load(project.read('millrace.yaml')) as { streams: Record<string, StreamState> }).streams,
    async run(server, more = {}) {
      const events: RunEvent[] = [];
      const options = optionsFor(root, server, more);
      const end = await runManifest({
        ...options,
        onEvent: (event) => {
          events.push(event);
          options.onEvent(event);
        },
      });
      const of = (id: string) =>
        events.flatMap((event) => ('stream' in event && event.stream === id ? [event.type] : []));
      return { ...end, events, of };
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  project.write('millrace.yaml', manifest);
  for (const [path, text] of Object.entries(files)) project.write(path, text);
  return project;
}

/** A plan that makes the simulator answer with these files. */
export function reply(files: Record<string, string>, stream?: string): string {
  const operations = Object.entries(files).map(([path, content]) => ({
    type: 'create',
    path,
    content,
  }));
  const block = `\`\`\`millrace-artifact\n${JSON.stringify({ status: 'complete', operations, summary: 'Done' })}\n\`\`\``;
  return `[[sim:reply${stream === undefined ? '' : ` for=${stream}`}]]${block}[[/sim:reply]]`;
}

/** A manifest of notation B; JSON is YAML. */
export function feature(streams: Record<string, object>, more: object = {}): string {
  return `${JSON.stringify({ feature: 'test', ...more, streams }, null, 2)}\n`;
}
