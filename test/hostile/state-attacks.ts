// State of runs that comes along with a repository, made to be believed.
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { manifest } from './world.ts';
import type { World } from './world.ts';

export interface Attack {
  name: string;
  build(world: World): void;
  /** Beside those that every repository meets. */
  commands?: string[][];
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const EVIL = '#!/bin/sh\ntouch "$PWD/../outside/pwned"\n';
const RUN = 'run_01abcdefghjkmnpqrstvwxyz01';
const STATE = 'project/.millrace';

interface Planted {
  path: string;
  before: string | null;
  after: string | null;
}

function journalOf(files: readonly Planted[], more: object = {}): object {
  return {
    v: 1,
    id: 'txn_01abcdefghjkmnpqrstvwxyz01',
    runId: RUN,
    streamId: 'a',
    attempt: 1,
    files: files.map(({ path, before, after }) => ({
      path,
      before: before && sha256(before),
      after: after && sha256(after),
      mode: 0o755,
    })),
    newFolders: [],
    end: { kind: 'keep' },
    ...more,
  };
}

function plantTransaction(
  world: World,
  files: readonly Planted[],
  { folder = 'txn/txn_01abcdefghjkmnpqrstvwxyz01', isDone = false, more = {} } = {},
): void {
  world.write(`${STATE}/${folder}/journal.json`, JSON.stringify(journalOf(files, more)));
  for (const [index, { before, after }] of files.entries()) {
    if (before !== null) world.write(`${STATE}/${folder}/b${index}`, before);
    if (after !== null) world.write(`${STATE}/${folder}/n${index}`, after);
  }
  if (isDone) world.write(`${STATE}/${folder}/done.json`, '{"at":"2026-01-01T00:00:00.000Z"}');
}

function started(runId = RUN, more: object = {}): object {
  return {
    v: 1,
    seq: 1,
    ts: '2026-01-01T00:00:00.000Z',
    type: 'run.started',
    runId,
    manifest: 'hostile',
    file: 'millrace.yaml',
    notation: 'B',
    model: 'sim-instant',
    simulated: true,
    concurrency: 1,
    resumed: false,
    url: 'http://127.0.0.1:1',
    streams: [{ id: 'a', name: 'About a', wave: 1, status: 'pending', waitsFor: [] }],
    ...more,
  };
}

function plantRun(world: World, lines: readonly unknown[], runId = RUN): void {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  world.write(`${STATE}/runs/${runId}/journal.jsonl`, `${text.join('\n')}\n`);
}

/** A run that applied this, as its record says. */
function plantRecord(world: World, files: readonly Planted[], more: object = {}): void {
  plantRun(world, [started()]);
  const folder = `runs/${RUN}/applied/a-1`;
  plantTransaction(world, files, { folder, isDone: true, more });
}

const WAYS_OUT: Record<string, string> = {
  'a git hook': '.git/hooks/pre-commit',
  'a file next door': '../outside/victim.txt',
  'an absolute path': '/tmp/millrace-pwned',
  'a way through a folder': 'src/../../outside/victim.txt',
  'the settings of the user': '../home/.bashrc',
  'the configuration of git': '.git/config',
};

const unfinished = Object.entries(WAYS_OUT).map(([what, path]): Attack => ({
  name: `an unfinished transaction restores ${what}`,
  // Never written, so what is "taken back" is what the enemy says was there before.
  build: (world) => plantTransaction(world, [{ path, before: EVIL, after: null }]),
}));

const finished = Object.entries(WAYS_OUT).map(([what, path]): Attack => ({
  name: `a finished record reverts ${what}`,
  build(world) {
    const after = path.endsWith('victim.txt') ? 'precious\n' : null;
    plantRecord(world, [{ path, before: EVIL, after }]);
  },
}));

export const STATE_ATTACKS: readonly Attack[] = [
  ...unfinished,
  ...finished,
  {
    name: 'an unfinished transaction removes folders next door',
    build: (world) => plantTransaction(world, [], { more: { newFolders: ['../outside/empty'] } }),
  },
  {
    name: 'a record of a finished transaction goes where the id of its run leads',
    build: (world) =>
      plantTransaction(world, [], { isDone: true, more: { runId: '../../../outside/taken' } }),
  },
  {
    name: 'an undo marks a record next door',
    build: (world) =>
      plantTransaction(world, [], {
        isDone: true,
        more: {
          end: {
            kind: 'undo',
            record: '../../../../../outside',
            emptyFolders: ['../outside/empty'],
            conflicts: [],
          },
        },
      }),
  },
  {
    name: 'a run has the id of another folder',
    build: (world) => plantRun(world, [started('../../../outside')]),
  },
  {
    name: 'a folder of a run has an id that leads out',
    build: (world) => world.link(`${STATE}/runs/${RUN}`, world.outside),
  },
  {
    name: 'the state folder is a link to the home folder',
    build: (world) => world.link(STATE, world.home),
  },
  {
    name: 'the folder of runs is a link',
    build: (world) => world.link(`${STATE}/runs`, world.outside),
  },
  {
    name: 'the folder of transactions is a link',
    build: (world) => world.link(`${STATE}/txn`, world.outside),
  },
  {
    name: 'the lock is a link',
    build: (world) => world.link(`${STATE}/lock`, join(world.home, '.bashrc')),
  },
  {
    name: 'the lock says that a living process holds it',
    build: (world) =>
      world.write(`${STATE}/lock`, JSON.stringify({ pid: 1, startedAt: 'alive', runId: RUN })),
  },
  {
    name: 'the log of a run in the background is a link',
    build: (world) => world.link(`${STATE}/detached.log`, join(world.home, '.bashrc')),
  },
  {
    name: 'the ignore file of the state folder is a link',
    build: (world) => world.link(`${STATE}/.gitignore`, join(world.home, '.bashrc')),
  },
  {
    name: 'an answer that was kept for apply',
    build(world) {
      plantRun(world, [
        started(),
        { ...started(), seq: 2, type: 'stream.started', stream: 'a', attempt: 1, wave: 1 },
      ]);
      const operations = [{ type: 'create', path: 'out/a.md', content: EVIL }];
      const kept = { streamId: 'a', status: 'complete', operations, filesChanged: [], summary: '' };
      world.write(`${STATE}/runs/${RUN}/artifacts/a.json`, JSON.stringify(kept));
    },
  },
  {
    name: 'a run that was cut off, with a question of its own to ask',
    build(world) {
      const call = { stream: 'a', attempt: 1, call: 1 };
      plantRun(world, [
        started(),
        { ...started(), ...call, seq: 2, type: 'stream.started', wave: 1 },
        { ...started(), ...call, seq: 3, type: 'stream.call', key: 'k', reservedUsd: 0 },
      ]);
      const job = { streamId: 'a', prompt: 'evil question', model: 'sim-instant', maxTokens: 10 };
      world.write(`${STATE}/runs/${RUN}/calls/a.1.1.json`, JSON.stringify(job));
    },
  },
  {
    name: 'a run that is full of escape codes',
    build: (world) =>
      plantRun(world, [started(RUN, { manifest: '\u001b]0;owned\u0007\u001b[2J' })]),
  },
  ...['null', '{}', '[]', '"x"', '{"v":1,"seq":1,"ts":"x","type":"run.started"}', '\0\0\0'].map(
    (line): Attack => ({
      name: `the journal of a run is ${JSON.stringify(line)}`,
      build: (world) => plantRun(world, [line, line]),
    }),
  ),
  {
    name: 'every file of the state is empty or nothing',
    build(world) {
      for (const name of ['lock', `runs/${RUN}/journal.jsonl`, 'txn/txn_1/journal.json']) {
        world.write(`${STATE}/${name}`, 'null');
      }
    },
  },
  {
    name: 'the state folder is a file',
    build: (world) => world.write(STATE, 'not a folder\n'),
  },
  {
    name: 'the manifest says that everything is done, with paths of its own',
    build(world) {
      mkdirSync(join(world.project, 'out'));
      const done = { status: 'complete', appliedAt: '2026-01-01T00:00:00Z', attempts: 1 };
      world.write('project/millrace.yaml', manifest({ ...done, error: '\u001b[31mred' }));
    },
  },
];
