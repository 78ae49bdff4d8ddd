import { duplexPair } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openLink } from '../../src/app/processes/link.ts';
import { nextPause } from '../../src/app/processes/restarts.ts';
import { createSiblingHub } from '../../src/app/processes/sibling-hub.ts';
import { createSignalLink } from '../../src/app/processes/signal-link.ts';
import { splitProcesses } from '../../src/app/processes/split.ts';
import { defaultProcesses } from '../../src/config/config.ts';
import { addCounts } from '../../src/platform/metrics-sum.ts';
import { addUpMetrics, createMetrics } from '../../src/platform/metrics.ts';
import { waitUntil } from '../support/processes.ts';

describe('how processes share the work', () => {
  const split = (processes: number, role: 'all' | 'api' | 'worker' = 'all', slots = 256) =>
    splitProcesses({ processes, role, slots }, true).map(
      ({ kind, number, slots: share }) => `${kind} ${number}: ${share}`,
    );

  it('each answers requests and runs jobs, unless the server has one role', () => {
    expect(split(2)).toEqual(['all 1: 128', 'all 2: 128']);
    expect(split(3)).toEqual(['all 1: 85', 'all 2: 85', 'all 3: 86']);
    expect(split(2, 'api')).toEqual(['api 1: 0', 'api 2: 0']);
    expect(split(2, 'worker')).toEqual(['worker 1: 128', 'worker 2: 128']);
  });

  it('one process listens where several cannot on the same port', () => {
    const kinds = (role: 'all' | 'api', processes: number) =>
      splitProcesses({ processes, role, slots: 256 }, false).map(({ kind }) => kind);
    expect(kinds('all', 3)).toEqual(['all', 'worker', 'worker']);
    expect(kinds('api', 4)).toEqual(['api']);
  });

  it('no slot is lost, and no worker has too few to reserve some', () => {
    expect(split(3, 'worker', 100)).toEqual(['worker 1: 33', 'worker 2: 33', 'worker 3: 34']);
    expect(split(3, 'worker', 17)).toEqual(['worker 1: 8', 'worker 2: 9']);
    expect(split(3, 'all', 17)).toEqual(['all 1: 8', 'all 2: 9', 'api 1: 0']);
    expect(split(2, 'all', 1)).toEqual(['all 1: 1', 'api 1: 0']);
  });

  it('there is one for every two cores, within limits', () => {
    expect([1, 2, 3, 4, 8, 64].map(defaultProcesses)).toEqual([1, 1, 1, 2, 4, 4]);
  });
});

it('siblings hear each other, whole lines at a time, and not themselves', async () => {
  const hub = createSiblingHub();
  const heard: Record<string, [string, readonly string[]][]> = {};
  const links = ['api 1', 'worker 1', 'worker 2'].map((name) => {
    const [inside, outside] = duplexPair();
    hub.add(name, outside);
    const link = createSignalLink(openLink(inside));
    const mine: [string, readonly string[]][] = (heard[name] = []);
    link.onReceive((signal, ids) => void mine.push([signal, ids]));
    return { link, pipe: inside };
  });
  const [api, first, second] = links;
  api!.link.send('work', []);
  // Of one turn: said once.
  api!.link.send('cancel', ['job_1']);
  api!.link.send('cancel', ['job_1', 'job_2']);
  await waitUntil(() => heard['worker 2']!.length === 2);
  expect(heard['worker 1']).toEqual(heard['worker 2']);
  expect(heard['worker 2']).toEqual([
    ['work', []],
    ['cancel', ['job_1', 'job_2']],
  ]);
  expect(heard['api 1']).toEqual([]);

  first!.pipe.write('ended|job_');
  second!.link.send('ended', ['job_2']);
  await waitUntil(() => heard['api 1']!.length === 1);
  first!.pipe.write('1\n');
  await waitUntil(() => heard['api 1']!.length === 2);
  expect(heard['api 1']).toEqual([
    ['ended', ['job_2']],
    ['ended', ['job_1']],
  ]);
});

it('a process that keeps ending is started again later each time', () => {
  let failures = 0;
  const pauses = Array.from({ length: 8 }, () => {
    const next = nextPause(failures, 1000);
    failures = next.failures;
    return next.pauseMs;
  });
  expect(pauses).toEqual([0, 250, 500, 1000, 2000, 4000, 8000, 10_000]);
  expect(nextPause(failures, 60_000)).toEqual({ failures: 1, pauseMs: 0 });
});

it('counts of processes are added up, those that ended included', async () => {
  const measure = async (jobs: number) => {
    const metrics = createMetrics(() => Promise.reject(new Error('not asked')));
    metrics.jobsEnded.inc({ outcome: 'completed' }, jobs);
    metrics.requestSeconds.observe({ route: '/' }, jobs);
    metrics.watchDatabase({
      use: () => ({ used: jobs, idle: 1, waiting: 0, limit: 10 }),
      onDone() {},
    });
    return metrics.process.getMetricsAsJSON();
  };
  const ended = addCounts(addCounts([], await measure(1)), await measure(2));
  expect(ended.map(({ name }) => name)).not.toContain('process_resident_memory_bytes');
  const text = await addUpMetrics([await measure(4), ended]);
  expect(text).toContain('millrace_jobs_ended_total{outcome="completed"} 7\n');
  expect(text).toContain('millrace_http_request_seconds_bucket{le="1",route="/"} 1\n');
  expect(text).toContain('millrace_http_request_seconds_count{route="/"} 3\n');
  expect(text).toContain('millrace_http_request_seconds_sum{route="/"} 7\n');
  // Connections of processes that ended are closed.
  expect(text).toContain('millrace_database_connections{state="used"} 4\n');
  expect(text).toContain('millrace_database_connections_limit 10\n');
  expect(text.match(/^process_resident_memory_bytes /gm)).toHaveLength(1);
});
