// Restate: its server keeps and hands out the jobs, a Node process with its SDK runs them.
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startChild } from '../../harness/child.ts';
import { getText, postText } from '../../harness/http-text.ts';
import type { JobSystem } from '../../harness/job-system.ts';
import { freePort } from '../../../src/platform/free-port.ts';
import { startProgram } from '../../harness/program.ts';
import { tempFolder } from '../../harness/temp-folder.ts';
import { rivalModules } from '../installed.ts';

async function register(adminUrl: string, servicePort: number): Promise<void> {
  const answer = await fetch(`${adminUrl}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${servicePort}` }),
  });
  if (!answer.ok) throw new Error(`Restate answered ${answer.status}: ${await answer.text()}`);
}

export async function startRestate(modelUrl: string): Promise<JobSystem> {
  const packages = ['@restatedev/restate-server', '@restatedev/restate-sdk'];
  const modules = rivalModules(packages);
  const folder = tempFolder('restate');
  const [ingress, admin, fabric] = [await freePort(), await freePort(), await freePort()];
  const binary = `@restatedev/restate-server-${platform()}-${arch()}/bin/restate-server`;
  const server = startProgram(join(modules, binary), ['--no-logo', '--listen-mode', 'tcp'], {
    cwd: folder.path,
    env: {
      RESTATE_BASE_DIR: folder.path,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${fabric}`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      // For one small machine; with the usual 24 a job took a third more CPU.
      RESTATE_DEFAULT_NUM_PARTITIONS: '4',
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LOG_FILTER: 'error',
    },
  });
  const service = startChild('../rivals/restate/service.ts', {
    MODEL_URL: modelUrl,
    RESTATE_LOGGING: 'ERROR',
    RESTATE_SDK: pathToFileURL(join(modules, '@restatedev/restate-sdk/dist/index.js')).href,
  });
  const { port } = await service.waitFor<{ port: number }>('ready');
  await server.untilListening(admin);
  await register(`http://127.0.0.1:${admin}`, port);
  await server.untilListening(ingress);
  const body = JSON.stringify({ prompt: 'Write something short.', model: 'bench' });
  // Only calls with a key of their own can be asked for their result later.
  const submit = postText('/bench/run/send', 'none', body).replace(
    'x-api-key: none',
    'idempotency-key: bench-%n',
  );
  return {
    name: 'Restate',
    url: `http://127.0.0.1:${ingress}`,
    protocol: {
      users: [{ submit, poll: getText('/restate/invocation/%1/output', 'none') }],
      id: '"invocationId":"([^"]+)"',
      done: '^HTTP/1.1 200',
      failed: '^HTTP/1.1 5',
      notYet: '^HTTP/1.1 470',
    },
    pids: () => [server.pid, service.process.pid!],
    async stop() {
      await server.stop();
      await service.stop();
      folder.remove();
    },
  };
}
