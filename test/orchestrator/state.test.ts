import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createReplay } from '../../src/domain/run/replay.ts';
import type { RunEventBody } from '../../src/contract/run-events.ts';
import { createCheckpoint } from '../../src/orchestrator/state/checkpoint.ts';
import { openJournal, readJournal } from '../../src/orchestrator/state/journal.ts';
import { RunLockedError, findLockHolder, takeLock } from '../../src/orchestrator/state/lock.ts';
import { verifies } from '../support/verifies.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-state-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const now = () => new Date('2026-11-15T00:00:00Z');
const note = (message: string): RunEventBody => ({
  type: 'run.note',
  level: 'info',
  code: 'X',
  message,
});

describe('the journal', () => {
  it('keeps events in order, and goes on where a process was cut off', async () => {
    const file = join(folder, 'runs', 'r', 'journal.jsonl');
    const first = await openJournal(file, { now, from: { seq: 0, bytes: 0 } });
    first.append(note('a'));
    await first.settled();
    first.append(note('b'));
    first.append(note('c'));
    await first.close();
    // A crash in the middle of a line.
    appendFileSync(file, '{"v":1,"seq":4,"ty');
    const read = await readJournal(file);
    expect(read.events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    const second = await openJournal(file, { now, from: { seq: 3, bytes: read.bytes } });
    expect(second.append(note('d')).seq).toBe(4);
    await second.close();
    const again = await readJournal(file);
    expect(again.events.map((event) => 'message' in event && event.message)).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });

  it('lets nobody wait for what others append later', async () => {
    const file = join(folder, 'journal.jsonl');
    const journal = await openJournal(file, { now, from: { seq: 0, bytes: 0 } });
    const last = journal.append(note('mine')).seq;
    let isSettled = false;
    const mine = journal.settled().then(() => (isSettled = true));
    const others: Promise<void>[] = [];
    // There is always more to write.
    while (!isSettled && others.length < 3000) {
      journal.append(note('more'));
      others.push(journal.settled());
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(others.length).toBeLessThan(3000);
    await mine;
    expect((await readJournal(file)).events.length).toBeGreaterThanOrEqual(last);
    await Promise.all(others);
    expect((await readJournal(file)).events).toHaveLength(others.length + 1);
    await journal.close();
  });

  it('is empty when there is none', async () => {
    expect(await readJournal(join(folder, 'none'))).toEqual({ events: [], bytes: 0 });
  });
});

describe('the lock', () => {
  it('keeps a second run out while the first one lives', () => {
    const lock = takeLock(folder, 'run_1');
    expect(() => takeLock(folder, 'run_2')).toThrow(RunLockedError);
    expect(findLockHolder(folder)).toMatchObject({ pid: process.pid, runId: 'run_1' });
    lock.release();
    takeLock(folder, 'run_2').release();
    expect(findLockHolder(folder)).toBeUndefined();
  });

  it('is taken over from a process that is gone', async () => {
    const module = fileURLToPath(new URL('../../src/orchestrator/state/lock.ts', import.meta.url));
    const script = `import(${JSON.stringify(module)}).then(({ takeLock }) => { takeLock(${JSON.stringify(folder)}, 'run_1'); console.log('held'); setInterval(() => {}, 1000); });`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    expect(() => takeLock(folder, 'run_2')).toThrow(/run_1/);
    child.kill('SIGKILL');
    await once(child, 'exit');
    takeLock(folder, 'run_2').release();
  });
});

const YAML = `# My change
feature: x
streams:
  a: # the first
    name: A
    status: pending
  b:
    name: B
`;

describe('the state in the manifest', () => {
  function open(text = YAML) {
    const file = join(folder, 'millrace.yaml');
    writeFileSync(file, text);
    const problems: string[] = [];
    const onProblem = (message: string) => problems.push(message);
    return { file, problems, checkpoint: createCheckpoint({ file, text, onProblem }) };
  }

  it('changes only what the orchestrator manages, and keeps the rights of the file', async () => {
    verifies('stream.state.yaml');
    const { file, checkpoint } = open();
    chmodSync(file, 0o640);
    checkpoint.set('a', { status: 'complete', attempts: 1, appliedAt: '2026-11-15T00:00:00Z' });
    checkpoint.set('b', { status: 'failed', error: 'npm test: exit 1' });
    checkpoint.setRunStatus('failed');
    expect(await checkpoint.flush()).toBe(true);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('# My change\n');
    expect(text).toContain('  a: # the first\n');
    expect(text).toContain('status: complete');
    expect(text).toContain('npm test');
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it('merges with what somebody edited meanwhile', async () => {
    const { file, checkpoint } = open();
    checkpoint.set('a', { status: 'complete' });
    await checkpoint.flush();
    const edited = readFileSync(file, 'utf8').replace('name: B', 'name: Better\n    plan: Do it');
    writeFileSync(file, edited);
    checkpoint.set('b', { status: 'in_progress', attempts: 1 });
    await checkpoint.flush();
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('name: Better');
    expect(text).toContain('plan: Do it');
    expect(text.match(/status: (complete|in_progress)/g)).toHaveLength(2);
  });

  it('waits with a text that cannot be read, and writes once it can', async () => {
    const { file, checkpoint, problems } = open();
    writeFileSync(file, 'streams: [');
    checkpoint.set('a', { status: 'complete' });
    expect(await checkpoint.flush()).toBe(false);
    expect(problems).toHaveLength(1);
    expect(readFileSync(file, 'utf8')).toBe('streams: [');
    writeFileSync(file, YAML);
    expect(await checkpoint.flush()).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain('status: complete');
  });

  it('adds fix streams and takes them away again', async () => {
    const { file, checkpoint } = open();
    checkpoint.addStream({ id: 'a-fix-1', name: 'Fix', parentStreamId: 'a', status: 'pending' });
    await checkpoint.flush();
    expect(readFileSync(file, 'utf8')).toContain('a-fix-1:');
    checkpoint.removeStream('a-fix-1');
    await checkpoint.flush();
    expect(readFileSync(file, 'utf8')).not.toContain('a-fix-1');
  });
});

describe('what a journal tells', () => {
  it('is where each stream stands, what it used, and the call that is still open', () => {
    const tokens = { input: 10, output: 5, cachedInput: 0 };
    const bodies: RunEventBody[] = [
      {
        type: 'run.started',
        runId: 'run_1',
        manifest: 'x',
        file: 'x.yaml',
        notation: 'B',
        model: 'm',
        simulated: false,
        concurrency: 1,
        resumed: false,
        url: '',
        streams: [
          { id: 'a', name: 'A', wave: 1, status: 'pending', waitsFor: [] },
          { id: 'b', name: 'B', wave: 1, status: 'pending', waitsFor: [] },
        ],
      },
      { type: 'stream.started', stream: 'a', wave: 1, attempt: 1 },
      { type: 'stream.call', stream: 'a', attempt: 1, call: 1, key: 'k', reservedUsd: 1 },
      { type: 'stream.job', stream: 'a', attempt: 1, call: 1, jobId: 'job_1' },
      { type: 'stream.answer', stream: 'a', attempt: 1, call: 1, ok: true, tokens, costUsd: 0.5 },
      { type: 'stream.call', stream: 'a', attempt: 1, call: 2, key: 'k2', reservedUsd: 1 },
      { type: 'stream.fix', stream: 'b', fix: 'b-fix-1', attempt: 2, of: 3 },
    ];
    const events = bodies.map((body, i) => ({ v: 1 as const, seq: i + 1, ts: 't', ...body }));
    const { record } = createReplay(events);
    expect(record.streams.get('a')).toMatchObject({
      status: 'in_progress',
      tokens,
      costUsd: 0.5,
      open: {
        calls: [
          { call: 1, jobId: 'job_1', isAnswered: true },
          { call: 2, jobId: undefined, isAnswered: false },
        ],
        applied: false,
      },
    });
    expect(record.fixes).toEqual(new Map([['b-fix-1', 'b']]));
    expect(record.end).toBeUndefined();
  });
});
