// One tiny task for an agent, the way a run gives it: in the sandbox, in a project that is gone afterwards.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KnownAgent } from '../../../agents/known/known-agents.ts';
import { isKnownAgent } from '../../../agents/known/known-agents.ts';
import { stateHomeOf } from '../../../config/state-folder.ts';
import { ANSWER, LOOP } from '../../../manifest/model.ts';
import { openProject, runManifest } from '../../../orchestrator/index.ts';
import type { RunEvent } from '../../../orchestrator/index.ts';
import { addEstimates } from '../../../domain/run/replay.ts';
import { estimateText } from '../../../domain/run/estimate-text.ts';
import { newId } from '../../../platform/ids.ts';
import { createScrubber } from '../../../platform/log.ts';
import { CommandError, usageError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { serverOf } from '../../remote.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import { complain, note, print } from '../../terminal/output.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { countOf } from '../../terminal/figures.ts';
import { plain } from '../../terminal/plain-text.ts';
import { modelPricesOf } from '../manifests/model-prices.ts';
import { ensureSandbox } from '../runs/command-sandbox.ts';
import { cannotAsk, findAgent, modelProblem, versionProblem, withVersion } from './find-agent.ts';

const SIMULATED = 'sim-instant';
const FILE = 'hello.txt';
const TEXT = 'hello';
const TIMEOUT_MS = 300_000;
const MOST_USD = 1;

/** What the simulated model has each do: the tool that writes, as the agent calls it. */
const CALLS: Readonly<Record<KnownAgent, (path: string) => [tool: string, input: object]>> = {
  claude: (path) => ['Bash', { command: `echo ${TEXT} > ${path}`, description: 'Write a file' }],
  codex: (path) => ['exec_command', { cmd: `echo ${TEXT} > ${path}` }],
  gemini: (path) => ['write_file', { file_path: path, content: `${TEXT}\n` }],
  opencode: (path) => ['write', { filePath: path, content: `${TEXT}\n` }],
};

function planFor(name: string, model: string, root: string): string {
  const task = `Write the file ${FILE} with the one word ${TEXT}.`;
  if (model !== SIMULATED || !isKnownAgent(name)) return task;
  const [tool, input] = CALLS[name](join(root, FILE));
  return `${task} [[sim:call ${tool} ${JSON.stringify(input)}]]`;
}

export async function testAgent(options: CommandOptions, [name = '']: string[]): Promise<number> {
  const { model: asked, ...others } = options;
  if (name === ANSWER || name === LOOP) {
    throw usageError(`"${name}" is built in, and needs no test.`, 'Name an installed agent.');
  }
  const settings = readClientSettings(others, process.env, process.cwd());
  const searchPath = process.env['PATH'] ?? '';
  const found = findAgent(name, settings.agents, searchPath);
  if (found.kind === 'problem') throw new CommandError(found.problem);
  if (asked === undefined && !isKnownAgent(name)) {
    throw usageError(
      `What a simulated model should have "${name}" do is not known.`,
      `Name a model to ask, which costs money: ${commandLine('agents', 'test', name, '--model', '<id>')}`,
    );
  }
  const { login } = found.program;
  if (login !== undefined && asked === undefined) {
    throw usageError(
      `${name} works with your own login, which asks no simulated model.`,
      `Name a model to ask: ${commandLine('agents', 'test', name, '--model', '<id>')}`,
    );
  }
  const model = typeof asked === 'string' ? asked : SIMULATED;
  const hasLogin = login !== undefined;
  if (isKnownAgent(name) && cannotAsk(name, model, hasLogin))
    throw new CommandError(modelProblem(name, model));
  await ensureSandbox();
  const program = await withVersion(found.program, searchPath);
  const doubt = versionProblem(program);
  if (doubt !== undefined) note(`${doubt.message} ${doubt.hint}`);
  if (login !== undefined) {
    const question = `Let ${name} work once with your own login (${plain(login.file)})?`;
    if (!(await confirmed(options, question)))
      throw usageError('Nothing was asked.', 'Agree, or pass --yes.');
  }

  const server = await serverOf(options, { client: {} });
  const base = await realpath(await mkdtemp(join(tmpdir(), 'millrace-agent-')));
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const startedAt = performance.now();
  const events: RunEvent[] = [];
  try {
    const folder = join(base, 'project');
    await mkdir(folder);
    const manifestFile = join(folder, 'millrace.yaml');
    const plan = planFor(name, model, folder);
    const stream = { name: 'Write a file', owns: [FILE], plan, timeoutMs: TIMEOUT_MS };
    const streams = {
      test: {
        ...stream,
        ...(!hasLogin && { maxCostUsd: MOST_USD }),
        verify: [`grep -q ${TEXT} ${FILE}`],
      },
    };
    const manifest = { feature: 'agent-test', agent: name, model, streams };
    await writeFile(manifestFile, JSON.stringify(manifest));
    const { root, stateDir } = await openProject(folder, join(base, 'state'));
    const home = homedir();
    const place = { home, stateHome: stateHomeOf(process.env, home) };
    const scrubber = createScrubber();
    scrubber.add(server.apiKey);
    const { status } = await runManifest({
      root,
      stateDir,
      manifestFile,
      model: undefined,
      fallbackModel: undefined,
      client: server.client,
      url: server.url,
      newRunId: () => newId('run'),
      concurrency: 1,
      ...modelPricesOf(process.env),
      maxCostUsd: undefined,
      maxAttempts: 1,
      apply: 'auto',
      selection: { only: [], from: [], skip: [] },
      sandbox: { ...place, hosts: [] },
      agents: { programs: new Map([[name, program]]), place },
      env: process.env,
      scrub: scrubber.scrub,
      warm: false,
      isLive: false,
      now: () => new Date(),
      stop: stop.signal,
      onEvent: (event) => events.push(event),
    });
    const ms = Math.round(performance.now() - startedAt);
    return report(options, { name, model, program, ok: status === 'complete', events, ms });
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    await server.close();
    await rm(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Tried {
  name: string;
  model: string;
  program: { version: string | undefined; protocol: string };
  ok: boolean;
  events: readonly RunEvent[];
  ms: number;
}

function report(options: CommandOptions, { name, model, program, ok, events, ms }: Tried): number {
  const turns = events.filter(({ type }) => type === 'agent.turn').length;
  const tools = events.flatMap((each) => (each.type === 'agent.tool' ? [each.name] : []));
  const refused = events.flatMap((each) =>
    each.type === 'agent.refused' ? [`${each.subject}: ${each.why}`] : [],
  );
  const answers = events.flatMap((each) => (each.type === 'stream.answer' ? [each] : []));
  const input = answers.reduce((sum, { tokens }) => sum + tokens.input, 0);
  const output = answers.reduce((sum, { tokens }) => sum + tokens.output, 0);
  const failure = events.findLast(({ type }) => type === 'stream.failed');
  const error = ok ? null : errorOf(failure);
  const { version = null, protocol } = program;
  const tokens = { input, output };
  const estimatedUsd = answers.map((each) => each.estimatedUsd).reduce(addEstimates, undefined);
  const document = {
    name,
    version,
    protocol,
    model,
    ok,
    turns,
    tools,
    refused,
    tokens,
    ...(estimatedUsd !== undefined && { estimatedUsd }),
    durationMs: ms,
    error,
  };
  if (options['json'] === true) print(JSON.stringify(document));
  else {
    const said = estimateText(estimatedUsd);
    const estimated = said === '' ? '' : `, ${said}`;
    const used = `${countOf(turns, 'model call')}, ${countOf(tools.length, 'tool')}, ${countOf(input + output, 'token')}, ${(ms / 1000).toFixed(1)} s${estimated}`;
    const who = `${name}${version === null ? '' : ` ${version}`} (${protocol}, ${model})`;
    for (const each of refused) note(plain(`refused  ${each}`));
    if (ok) print(plain(`${who} wrote a file that passed its check: ${used}.`));
    else complain(plain(`${who} failed after ${used}: ${error}`));
  }
  return ok ? EXIT.ok : EXIT.failed;
}

function errorOf(event: RunEvent | undefined): string {
  return event?.type === 'stream.failed' ? event.error : 'It was stopped.';
}
