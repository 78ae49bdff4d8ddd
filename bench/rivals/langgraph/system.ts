// LangGraph's development server with a graph of one node. It keeps its runs in memory.
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getText, postText } from '../../harness/http-text.ts';
import type { JobSystem } from '../../harness/job-system.ts';
import { freePort } from '../../../src/platform/free-port.ts';
import { startProgram } from '../../harness/program.ts';
import { tempFolder } from '../../harness/temp-folder.ts';
import { rivalModules } from '../installed.ts';

const GRAPH = fileURLToPath(new URL('graph.mjs', import.meta.url));
const CALL_MODEL = new URL('../call-model.ts', import.meta.url).href;

/** A project as its documentation describes one. */
function writeProject(folder: string, modules: string): void {
  symlinkSync(modules, join(folder, 'node_modules'));
  copyFileSync(GRAPH, join(folder, 'graph.mjs'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const graphs = { bench: './graph.mjs:graph' };
  const config = { node_version: '22', dependencies: ['.'], graphs };
  writeFileSync(join(folder, 'langgraph.json'), JSON.stringify(config));
}

export async function startLanggraph(modelUrl: string): Promise<JobSystem> {
  const packages = ['@langchain/langgraph-cli', '@langchain/langgraph', '@langchain/core'];
  const modules = rivalModules(packages);
  const folder = tempFolder('langgraph');
  writeProject(folder.path, modules);
  const port = await freePort();
  const options = ['--no-browser', '--host', '127.0.0.1', '--port', String(port)];
  const server = startProgram(
    process.execPath,
    [join(modules, '.bin/langgraphjs'), 'dev', ...options, '--n-jobs-per-worker', '64'],
    {
      cwd: folder.path,
      env: {
        MODEL_URL: modelUrl,
        CALL_MODEL,
        LOG_LEVEL: 'error',
        LANGGRAPH_CLI_NO_ANALYTICS: '1',
        LANGSMITH_TRACING: 'false',
      },
    },
  );
  await server.untilListening(port);
  const body = JSON.stringify({
    assistant_id: 'bench',
    input: { prompt: 'Write something short.', model: 'bench' },
    // Otherwise there is nothing left to poll once it is done.
    on_completion: 'keep',
  });
  return {
    name: 'LangGraph dev server',
    url: `http://127.0.0.1:${port}`,
    protocol: {
      users: [
        { submit: postText('/runs', 'none', body), poll: getText('/threads/%2/runs/%1', 'none') },
      ],
      id: '"run_id": *"([^"]+)",\\s*"thread_id": *"([^"]+)"',
      done: '"status": *"success"',
      failed: '"status": *"(?:error|timeout|interrupted)"',
    },
    pids: () => [server.pid],
    async stop() {
      await server.stop();
      folder.remove();
    },
  };
}
