// Millrace as an operator runs it: `millrace serve` with its embedded database.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRunningEmbedded } from '../../src/store/embedded/supervisor.ts';
import { getText, submitText } from './http-text.ts';
import type { JobSystem } from './job-system.ts';
import { startProgram } from './program.ts';
import { tempFolder } from './temp-folder.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** BENCH_CPU_PROF names a folder for profiles of all its Node processes. */
function profiling(): NodeJS.ProcessEnv {
  const folder = process.env['BENCH_CPU_PROF'];
  if (!folder) return {};
  mkdirSync(folder, { recursive: true });
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` };
}

function createKey(dataDir: string, env: NodeJS.ProcessEnv): string {
  const args = ['api-keys', 'create', '--json', '--email', 'bench@example.com'];
  const created = execFileSync(process.execPath, [MAIN, ...args, '--data-dir', dataDir], {
    env: { ...process.env, ...env },
  });
  return (JSON.parse(created.toString()) as { key: string }).key;
}

export async function startMillrace(
  modelUrl: string,
  settings: NodeJS.ProcessEnv = {},
): Promise<JobSystem> {
  const folder = tempFolder('data');
  const tiers = join(folder.path, 'tiers.json');
  writeFileSync(tiers, JSON.stringify({ enterprise: { requestsPerMinute: 100_000_000 } }));
  const env = {
    DATABASE_URL: '',
    MILLRACE_LOG_LEVEL: 'warn',
    MILLRACE_ANTHROPIC_BASE_URL: `${modelUrl}/v1`,
    MILLRACE_ANTHROPIC_API_KEY: 'sk-ant-bench-key',
    // Polling every 10 ms must not meet the limit of requests.
    MILLRACE_TIERS: tiers,
    ...settings,
  };
  const args = [MAIN, 'serve', '--json', '--port', '0', '--data-dir', folder.path];
  const server = startProgram(process.execPath, args, {
    env: { ...env, ...profiling() },
    reads: true,
  });
  const { url } = JSON.parse(await server.firstLine()) as { url: string };
  const key = createKey(folder.path, env);
  return {
    name: 'Millrace',
    url,
    protocol: {
      users: [
        {
          submit: submitText(key, { prompt: 'Write something short.', model: 'claude-sonnet-4-5' }),
          poll: getText('/api/v1/job/%1', key),
        },
      ],
      id: '"jobId":"([^"]+)"',
      done: '"status":"completed"',
      failed: '"status":"(?:failed|cancelled)"',
    },
    pids: () => [server.pid, findRunningEmbedded(folder.path)!.pid],
    async stop() {
      await server.stop();
      folder.remove();
    },
  };
}
