// How an installed agent is started: its arguments, its environment, files in its private home, and what of the
// repository it would load whatever its options say.
import type { SandboxProcess } from '../sandbox/sandbox.ts';
import type { AgentRun } from './agent-run.ts';

export interface Launch {
  /** `@HOME@` is the home inside, where there are files in it. */
  args: readonly string[];
  environment?: Readonly<Record<string, string>>;
  /** By their paths below the home inside. Nothing secret: they are arguments of a process. */
  homeFiles?: Readonly<Record<string, string>>;
  /**
   * Names in the project's folder that the agent has no option to leave alone. They are out of the way while it works,
   * unless its stream may change them.
   */
  hides?: readonly string[];
}

export interface Launched {
  process: SandboxProcess;
  /** Puts back what was hidden, when the process has ended. */
  restore(): Promise<void>;
}

/** In the copy, and no part of its difference. */
const ASIDE = '.git/millrace-aside';

/** Words: count, then path and text of each file; count, then each name; then the command itself. */
const PREPARE = `
set -e
count=$1; shift
while [ "$count" -gt 0 ]; do
  mkdir -p "$(dirname "$HOME/$1")"
  printf %s "$2" >"$HOME/$1"
  shift 2; count=$((count - 1))
done
count=$1; shift
while [ "$count" -gt 0 ]; do
  if [ -e "$1" ] || [ -L "$1" ]; then mkdir -p ${ASIDE}; mv -- "$1" "${ASIDE}/$1"; fi
  shift; count=$((count - 1))
done
for word do
  shift
  case $word in *@HOME@*) word="\${word%%@HOME@*}$HOME\${word#*@HOME@}" ;; esac
  set -- "$@" "$word"
done
exec "$@"`;

/** What the agent itself has put there stays, and is seen as its change. */
const RESTORE = `
for name in "$@"; do
  if [ -e "${ASIDE}/$name" ] || [ -L "${ASIDE}/$name" ]; then
    if [ ! -e "$name" ] && [ ! -L "$name" ]; then mv -- "${ASIDE}/$name" "$name"; fi
  fi
done
rm -rf ${ASIDE}`;

export async function launchAgent(run: AgentRun, launch: Launch): Promise<Launched> {
  const { homeFiles = {}, hides = [], environment = {} } = launch;
  const command: [string, ...string[]] = [...run.program.command, ...launch.args];
  const files = Object.entries(homeFiles);
  const hidden = hides.filter((name) => !run.mayWrite(name) && !run.mayWrite(`${name}/any`));
  if (files.length === 0 && hidden.length === 0) {
    return { process: await run.start(command, environment), restore: async () => undefined };
  }
  const words = [String(files.length), ...files.flat(), String(hidden.length), ...hidden];
  const line = ['/bin/sh', '-c', PREPARE, 'sh', ...words, ...command] as const;
  const process = await run.start([...line], environment);
  return {
    process,
    async restore() {
      if (hidden.length === 0) return;
      const putting = await run.start(['/bin/sh', '-c', RESTORE, 'sh', ...hidden]);
      putting.stdin.on('error', () => undefined).end();
      putting.stdout.resume();
      putting.stderr.resume();
      await putting.ended;
    },
  };
}
