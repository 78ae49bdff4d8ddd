// millrace runner: takes requests until it is stopped.
import { availableParallelism, homedir, hostname } from 'node:os';
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ConfigError } from '../../../config/config-error.ts';
import { stateHomeOf } from '../../../config/state-folder.ts';
import { compileCacheEnv } from '../../../platform/compile-cache.ts';
import { systemClock } from '../../../platform/clock.ts';
import { lockFile } from '../../../platform/file-lock.ts';
import type { FileLock } from '../../../platform/file-lock.ts';
import { makeFolder } from '../../../platform/make-folder.ts';
import { MOST_CLONE_BYTES } from '../../../runner/clone-size.ts';
import { createCommands } from '../../../runner/run-command.ts';
import { inheritedEnv } from '../../../runner/request-env.ts';
import { createPlaces } from '../../../runner/places.ts';
import { factsOf, nameOf } from '../../../runner/project-facts.ts';
import {
  changeRunnerFile,
  readRunnerFile,
  runnerHomeOf,
  watchRunnerFile,
} from '../../../runner/runner-file.ts';
import type { RunnerFile } from '../../../runner/runner-file.ts';
import { createRunner } from '../../../runner/runner.ts';
import { createServerCalls } from '../../../runner/server-calls.ts';
import { probeSandbox } from '../../../sandbox/probe.ts';
import { KNOWN_AGENTS } from '../../../agents/known/known-agents.ts';
import { CommandError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { numberOf, textOf } from '../../flag-values.ts';
import { connect } from '../../remote.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import { STOP_SIGNALS } from '../../stop-signal.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { version } from '../../version.ts';
import { LOOP } from '../../../manifest/model.ts';
import type { AgentSettings } from '../../settings/client-settings.ts';
import { findAgent } from '../agents/find-agent.ts';
import { checkWriter } from './check-writer.ts';

const wordsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

type Named = Partial<RunnerFile['projects'][string]>;

const pathOf = (place: string) => resolve(place.replace(/^~(?=\/|$)/, homedir()));

/** Of `.`, `..` and `~`, which have no name of their own. */
function namedByFolder(place: string): ReturnType<typeof nameOf> {
  const named = nameOf(basename(pathOf(place)).replaceAll('=', '-'));
  return named && { ...named, place };
}

/** The folders and repositories that this call names. */
function namedIn(options: CommandOptions): Map<string, Named> {
  const found = new Map<string, Named>();
  const add = (
    word: string,
    flag: string,
    about: (place: string) => Named,
    named = nameOf(word),
  ) => {
    if (named === undefined) {
      throw new ConfigError([`${flag} "${word}": give it a name, as in ${flag} ${word}=shop`]);
    }
    if (found.has(named.name)) {
      throw new ConfigError([`${flag} "${word}": another one is called ${named.name}; use =NAME`]);
    }
    found.set(named.name, about(named.place));
  };
  for (const word of wordsOf(options['project'])) {
    const about = (place: string) => {
      const path = pathOf(place);
      if (!existsSync(path)) throw new ConfigError([`--project ${place}: there is no such folder`]);
      return { path };
    };
    add(word, '--project', about, nameOf(word) ?? namedByFolder(word));
  }
  for (const word of wordsOf(options['repo'])) add(word, '--repo', (repo) => ({ repo }));
  return found;
}

/** What was allowed of a project stays allowed only where it is the same folder or repository. */
async function remember(stateHome: string, named: Map<string, Named>): Promise<void> {
  if (named.size === 0) return;
  await changeRunnerFile(stateHome, (file) => {
    const projects = { ...file.projects };
    for (const [name, { path, repo }] of named) {
      const known = Object.hasOwn(projects, name) ? projects[name] : undefined;
      const isSame = known !== undefined && known.path === path && known.repo === repo;
      const fresh = {
        inPlace: false,
        commands: 'sandbox' as const,
        hosts: [],
        ownLogins: [],
        env: {},
      };
      projects[name] = {
        ...(isSame ? known : fresh),
        ...(path !== undefined && { path }),
        ...(repo !== undefined && { repo }),
      };
    }
    return { ...file, projects };
  });
}

/** Those that are here, or that the owner has named; the built-in one needs no program. */
function agentsFor(
  options: CommandOptions,
  settings: AgentSettings,
): { names: string[]; isLimited: boolean } {
  const known = [...new Set([...KNOWN_AGENTS, ...Object.keys(settings.defined), LOOP])];
  const isHere = (agent: string) =>
    agent === LOOP || findAgent(agent, settings, process.env['PATH'] ?? '').kind !== 'problem';
  const given = options['agents'];
  if (typeof given !== 'string') return { names: known.filter(isHere), isLimited: false };
  const names = [...new Set(given.split(',').map((name) => name.trim()))].filter(
    (name) => name !== '' && name !== 'none',
  );
  for (const name of names) {
    if (!known.includes(name)) {
      throw new ConfigError([`--agents "${name}": there are ${known.join(', ')}, or none`]);
    }
    if (!isHere(name)) throw new ConfigError([`--agents "${name}": it is not on this machine`]);
  }
  return { names, isLimited: true };
}

function cloneBytesOf(options: CommandOptions): number {
  const given = textOf(options, 'cloneSize');
  if (given === undefined) return MOST_CLONE_BYTES;
  const gigabytes = Number(given);
  if (!(gigabytes > 0))
    throw new ConfigError([`--clone-size "${given}": must be a number above 0`]);
  return gigabytes * 1024 ** 3;
}

/** Two of them would work in the same folders. */
function lockMachine(stateHome: string): FileLock {
  const home = runnerHomeOf(stateHome);
  makeFolder(home, 0o700);
  const lock = lockFile(join(home, 'runner.lock'));
  if (lock !== undefined) return lock;
  throw new CommandError({
    code: 'CONFLICT',
    message: 'A runner is running on this machine already.',
    hint: 'Stop it first, or give this one a state folder of its own: MILLRACE_STATE_DIR=PATH',
  });
}

export async function startRunner(options: CommandOptions): Promise<number> {
  const stateHome = stateHomeOf(process.env, homedir());
  const lock = lockMachine(stateHome);
  try {
    return await keepRunning(options, stateHome);
  } finally {
    lock.release();
  }
}

async function keepRunning(options: CommandOptions, stateHome: string): Promise<number> {
  await remember(stateHome, namedIn(options));
  if (Object.keys(readRunnerFile(stateHome).projects).length === 0) {
    throw new CommandError({
      code: 'USAGE',
      message: 'A runner needs something to work on.',
      hint: `Name a folder: ${commandLine('runner', '--project', '.')}`,
    });
  }
  const concurrency =
    numberOf(options, 'concurrency', '--concurrency') ?? Math.ceil(availableParallelism() / 2);
  if (concurrency === 0 || concurrency > 256) {
    throw new ConfigError([`--concurrency "${concurrency}": must be 1 to 256`]);
  }
  const name = typeof options['name'] === 'string' ? options['name'] : hostname();
  const labels = wordsOf(options['label']);
  const settings = readClientSettings(options, process.env, process.cwd());
  const { client: _, ...server } = await connect(options, { waits: true });
  const key = server.apiKey;
  const who = `${server.url} ${name}`;
  const agents = agentsFor(options, settings.agents);
  const stopping = new AbortController();
  const stop = () => {
    if (stopping.signal.aborted) process.exit(EXIT.interrupted);
    note('stopping; what is under way is given back (again to leave at once)');
    stopping.abort();
  };
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  const places = createPlaces(stateHome, { concurrency, mostBytes: cloneBytesOf(options) });
  const env = { ...process.env, ...compileCacheEnv() };
  const program = { file: process.execPath, args: [...process.execArgv, process.argv[1]!] };
  const commands = createCommands(program, inheritedEnv(env));
  const runner = createRunner({
    commands,
    stateHome,
    url: server.url,
    env,
    agents: agents.isLimited ? agents.names : undefined,
    places,
    checkWriter: (request, place) => checkWriter(request, place, settings),
    server: createServerCalls(server.url, key, server.teamId ? { teamId: server.teamId } : {}),
    clock: systemClock,
    concurrency,
    allowed: () => readRunnerFile(stateHome),
    id: readRunnerFile(stateHome).ids[who],
    remember: async (id) => {
      await changeRunnerFile(stateHome, (file) => ({ ...file, ids: { ...file.ids, [who]: id } }));
    },
    async describe() {
      const probe = await probeSandbox({ home: homedir(), stateFolder: stateHome });
      const remedy = probe.kind === 'unavailable' ? probe.remedy : undefined;
      const projects = Object.entries(readRunnerFile(stateHome).projects).map(([each, project]) =>
        factsOf(each, project, { stateHome, sandboxRemedy: remedy }),
      );
      return {
        name,
        version: version(),
        platform: `${process.platform} ${process.arch}`,
        concurrency,
        labels,
        agents: agents.names,
        cores: availableParallelism(),
        sandbox: remedy === undefined,
        projects: await Promise.all(projects),
      };
    },
    onOutdated: (theirs) =>
      note(`The server is version ${plain(theirs)}, this runner ${version()}. Update it.`),
    say: (line) => print(plain(line)),
  });
  const names = Object.keys(readRunnerFile(stateHome).projects).join(', ');
  print(`Runner ${plain(name)} for ${names} at ${server.url}; ctrl-c stops it.`);
  const unwatch = watchRunnerFile(stateHome, runner.lookNow);
  try {
    await runner.run(stopping.signal);
  } finally {
    unwatch();
    commands.close();
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
  return EXIT.ok;
}
