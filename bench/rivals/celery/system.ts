// Celery with Redis as its broker and for its results, behind Starlette on uvicorn.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { getText, postText } from '../../harness/http-text.ts';
import { NotInstalled } from '../../harness/job-system.ts';
import type { JobSystem } from '../../harness/job-system.ts';
import { freePort } from '../../../src/platform/free-port.ts';
import { startProgram } from '../../harness/program.ts';
import { tempFolder } from '../../harness/temp-folder.ts';
import { startRedis } from '../redis.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const MODULES = ['celery', 'redis', 'uvicorn', 'starlette'];

/** The first Python that has everything; Debian's may not be the first one on the path. */
function findPython(): string {
  const found = ['python3', '/usr/bin/python3'].find(
    (python) => spawnSync(python, ['-c', `import ${MODULES.join(', ')}`]).status === 0,
  );
  if (found !== undefined) return found;
  const packages = MODULES.map((name) => `python3-${name}`).join(' ');
  throw new NotInstalled(
    `install ${MODULES.join(', ')} for Python (Debian: apt-get install ${packages})`,
  );
}

export async function startCelery(modelUrl: string): Promise<JobSystem> {
  const python = findPython();
  const redis = await startRedis('always');
  const port = await freePort();
  const cache = tempFolder('celery');
  const options = {
    cwd: FOLDER,
    env: {
      REDIS_URL: `redis://127.0.0.1:${redis.port}/0`,
      MODEL_URL: modelUrl,
      PYTHONPYCACHEPREFIX: cache.path,
    },
  };
  // Threads took the least CPU, beside processes and gevent, and can wait for many calls at once.
  const pool = ['--pool=threads', '--concurrency=16'];
  const worker = startProgram(
    python,
    ['-m', 'celery', '-A', 'tasks', 'worker', '--loglevel=ERROR', '--without-gossip', ...pool],
    options,
  );
  const front = startProgram(
    python,
    [
      '-m',
      'uvicorn',
      'front:app',
      '--port',
      String(port),
      '--log-level',
      'warning',
      '--no-access-log',
    ],
    options,
  );
  await front.untilListening(port);
  const body = JSON.stringify({ prompt: 'Write something short.', model: 'bench' });
  return {
    name: 'Celery, Redis fsync always',
    url: `http://127.0.0.1:${port}`,
    protocol: {
      users: [{ submit: postText('/jobs', 'none', body), poll: getText('/jobs/%1', 'none') }],
      id: '"jobId":"([^"]+)"',
      done: '"status":"SUCCESS"',
      failed: '"status":"(?:FAILURE|REVOKED)"',
    },
    pids: () => [front.pid, worker.pid, redis.pid],
    async stop() {
      await front.stop();
      await worker.stop();
      await redis.stop();
      cache.remove();
    },
  };
}
