// The project's checks, with the way to run only some of its tests where the runner takes names of files.
import type { Check } from '../manifest/compose/repository.ts';
import type { ProjectScan } from '../project/scan-project.ts';

/** A script that is nothing but the runner: whatever follows it narrows it. */
const TAKES_FILES =
  /^(?:npx +)?(?:vitest(?: +(?:run|--run))?|jest|mocha|ava|bun +test|node +--test)$/;
const VIA_SCRIPT = /^(npm|pnpm|yarn|bun run) test$/;

/** `script`: what the package file has behind the command, if it is one of its scripts. */
function toCheck(command: string, script?: string): Check {
  const scripted = VIA_SCRIPT.exec(command);
  if (scripted && script !== undefined && TAKES_FILES.test(script.trim())) {
    const dashes = scripted[1] === 'npm' ? ' --' : '';
    return { command, narrow: (tests) => `${command}${dashes} ${tests.join(' ')}` };
  }
  if (/(?:^| )pytest$/.test(command)) {
    return { command, narrow: (tests) => `${command} ${tests.join(' ')}` };
  }
  if (command === 'go test ./...') {
    const folders = (tests: readonly string[]) =>
      new Set(tests.map((path) => `./${path.slice(0, Math.max(0, path.lastIndexOf('/')))}`));
    return { command, narrow: (tests) => `go test ${[...folders(tests)].sort().join(' ')}` };
  }
  return { command };
}

/** Those whose programs are on this machine. */
export function checksOf({ verify, scripts }: Pick<ProjectScan, 'verify' | 'scripts'>): Check[] {
  const runs = new Map(scripts.map((script) => [script.command, script.runs]));
  return verify.map((command) => toCheck(command, runs.get(command)));
}
