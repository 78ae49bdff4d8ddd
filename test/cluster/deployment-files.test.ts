// The files to deploy with: they can be read, name settings that there are, and fit together.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../src/config/settings.ts';
import { filesUnder, fromRoot } from '../pins/tree.ts';

const textOf = (path: string) => readFileSync(fromRoot(path), 'utf8');
const FILES = ['docker', 'kubernetes', 'systemd', 'cluster'].flatMap((folder) =>
  filesUnder(`examples/${folder}`, 'Dockerfile', '.yaml', '.yml', '.example', '.service', '.ts'),
);

type Tree = { [key: string]: Tree } & string;

/** All objects of the files of Kubernetes, by kind and name. */
function objects(): Map<string, Tree> {
  return new Map(
    filesUnder('examples/kubernetes', '.yaml').flatMap((path) =>
      parseAllDocuments(textOf(path)).map((document) => {
        expect(document.errors, path).toEqual([]);
        const object = document.toJS() as Tree;
        return [`${object['kind']} ${object['metadata']!['name']}`, object] as const;
      }),
    ),
  );
}

it('they name settings that there are', () => {
  const known = new Set<string>(Object.values(SETTINGS).map(({ env }) => env));
  expect(FILES.length).toBeGreaterThan(8);
  const unknown = FILES.flatMap((path) =>
    (textOf(path).match(/\b(?:MILLRACE|DATABASE)_[A-Z_]*[A-Z]\b/g) ?? [])
      .filter((name) => !known.has(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

function settingsOf(deployment: Tree): Map<string, string> {
  const containers = podOf(deployment)['containers'] as unknown as { env: Tree[] }[];
  return new Map(containers[0]!.env.map(({ name, value }) => [String(name), String(value)]));
}

function podOf(deployment: Tree): Tree {
  return deployment['spec']!['template']!['spec']!;
}

it('pods get the time they need to stop', () => {
  const found = objects();
  const api = found.get('Deployment millrace-api')!;
  const worker = found.get('Deployment millrace-worker')!;
  const grace = (deployment: Tree) => Number(podOf(deployment)['terminationGracePeriodSeconds']);
  // Requests under way have ten seconds, and so has what follows the drain.
  const delay = Number(settingsOf(api).get('MILLRACE_SHUTDOWN_DELAY_SECONDS'));
  expect(grace(api)).toBeGreaterThanOrEqual(delay + 10 + 10);
  const drain = Number(settingsOf(worker).get('MILLRACE_DRAIN_SECONDS'));
  expect(grace(worker)).toBeGreaterThanOrEqual(drain + 15);
  for (const name of ['millrace-api.service', 'millrace-worker@.service']) {
    const text = textOf(`examples/systemd/${name}`);
    const figure = (key: string) => Number(new RegExp(`${key}=(\\d+)`).exec(text)?.[1] ?? 0);
    const needed = figure('MILLRACE_SHUTDOWN_DELAY_SECONDS') + figure('MILLRACE_DRAIN_SECONDS');
    expect(figure('TimeoutStopSec'), name).toBeGreaterThanOrEqual(needed + 15);
  }
});

it('objects refer to objects that there are, and the autoscaler to a figure of the queue', () => {
  const found = objects();
  for (const [name, { spec }] of found) {
    const target = spec?.['scaleTargetRef'];
    if (target) expect([...found.keys()], name).toContain(`Deployment ${target['name']}`);
    const chosen = spec?.['selector']?.['matchLabels'] ?? spec?.['selector'];
    if (!chosen || name.startsWith('Deployment')) continue;
    const pods = [...found.values()].filter(({ kind }) => String(kind) === 'Deployment');
    const labels = pods.map((one) => one['spec']!['template']!['metadata']!['labels']);
    expect(labels, name).toContainEqual(chosen);
  }
  const [trigger] = found.get('ScaledObject millrace-worker')!['spec']![
    'triggers'
  ] as unknown as Tree[];
  expect(trigger!['metadata']).toMatchObject({ valueLocation: 'demand' });
  expect(String(trigger!['metadata']!['url'])).toMatch(/\/metrics\/queue$/);
});

it('compose starts a database, an API and a worker', () => {
  const { services } = parse(textOf('examples/docker/compose.yaml'), { merge: true }) as Tree;
  expect(Object.keys(services!)).toEqual(['postgres', 'api', 'worker']);
  for (const [name, role] of [
    ['api', 'api'],
    ['worker', 'worker'],
  ] as const) {
    const settings = services![name]!['environment']!;
    expect(settings['MILLRACE_ROLE']).toBe(role);
    expect(settings['DATABASE_URL']).toContain('@postgres:5432/');
    expect(String(services![name]!['read_only'])).toBe('true');
  }
});

it('Patroni keeps each commit twice, fences off an old primary, and does not wait long for a silent standby', () => {
  const settings = parse(textOf('examples/cluster/patroni/patroni.yml')) as Tree;
  const dcs = settings['bootstrap']!['dcs']!;
  expect(dcs).toMatchObject({ synchronous_mode: true, postgresql: { use_pg_rewind: true } });
  const [ttl, loopWait, retryTimeout] = ['ttl', 'loop_wait', 'retry_timeout'].map((name) =>
    Number(dcs[name]),
  ) as [number, number, number];
  // Otherwise Patroni shortens the times by itself.
  expect(ttl).toBeGreaterThanOrEqual(loopWait + 2 * retryTimeout);
  const { parameters } = dcs['postgresql']!;
  expect(parameters!['synchronous_commit']).toBe('on');
  const senderSeconds = Number(/^(\d+)s$/.exec(parameters!['wal_sender_timeout']!)?.[1]);
  expect(senderSeconds + loopWait).toBeLessThan(ttl);
  const { mode, safety_margin: margin } = settings['watchdog']!;
  expect(String(mode)).toMatch(/^(?:automatic|required)$/);
  expect(ttl - Number(margin)).toBeGreaterThan(loopWait);
});
