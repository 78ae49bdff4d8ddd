// A process that uses sandboxes as the user that it becomes first: root where the suite is root, and an
// ordinary user. Reads one request a line, answers each with one line.
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { sandboxEnvironment } from '../../src/sandbox/environment.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { pathDoor } from '../../src/sandbox/network/path-door.ts';
import type { Copy } from '../../src/sandbox/copy/copy.ts';
import type { Ask, DriverSettings, Reply } from './world.ts';

const settings = JSON.parse(process.argv[2]!) as DriverSettings;
if (settings.uid !== process.getuid!()) {
  process.setgroups!([]);
  process.setgid!(settings.uid);
  process.setuid!(settings.uid);
}

const sandbox: Sandbox = createSandbox({
  stateFolder: settings.stateFolder,
  home: settings.home,
  node: settings.node,
  reach: {
    resolve: async (host) => settings.names[host] ?? [],
    allowPrivate: settings.allowPrivate,
    ports: settings.ports,
  },
});
const copies = new Map<string, Copy>();

async function answer(ask: Ask): Promise<Reply> {
  const { project: folder } = settings;
  let copy = copies.get(ask.copy ?? '');
  if (copy === undefined) {
    const isSecret = (path: string) => path.endsWith('.env');
    const base = await sandbox.openBase({ folder, files: ['a.txt'], isSecret });
    copy = await sandbox.openCopy({
      folder,
      files: settings.files,
      isSecret,
      dependencies: ['node_modules'],
      base,
    });
    if (ask.copy !== undefined) copies.set(ask.copy, copy);
  }
  const run = await sandbox.start({
    command: ask.command ?? ['/bin/sh', '-c', ask.script ?? ''],
    folder: ask.use === undefined ? { kind: 'copy', copy } : { kind: ask.use, path: folder },
    environment: sandboxEnvironment(process.env, { PATH: `${settings.tools}:/usr/bin:/bin` }),
    network: ask.hosts === undefined ? { kind: 'none' } : { kind: 'hosts', hosts: ask.hosts },
    doors:
      settings.door === undefined
        ? []
        : [pathDoor({ ...settings.door, server: new URL(settings.door.server) })],
    limits: { timeoutMs: 60_000, ...ask.limits },
  });
  run.stdin.end();
  process.stderr.write('started\n');
  const [ending, stdout, stderr] = await Promise.all([
    run.ended,
    text(run.stdout),
    text(run.stderr),
  ]);
  const { changes, repositories } = await copy.changes();
  const { method, dependencies } = copy;
  if (ask.copy === undefined) copy.remove();
  const kept = ask.limits?.outputBytes === undefined ? stdout : stdout.length.toString();
  const refused = run.refused();
  return {
    ending,
    stdout: kept,
    stderr,
    changes,
    repositories,
    method,
    dependencies,
    refused,
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  const reply = await answer(JSON.parse(line) as Ask).catch((error: Error) => ({
    error: error.stack,
  }));
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
await sandbox.close();
