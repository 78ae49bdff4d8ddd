// millrace runner
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';

const SUMMARY = 'make the runs that others ask for, on this machine';

const collect = (word: string, list: string[] = []) => [...list, word];

function withRunnerFlags(command: Command): Command {
  return command
    .option('--name <name>', 'what it is called (default: the name of this machine)')
    .option('--project <path>', 'a folder, or PATH=NAME; remembered (repeatable)', collect)
    .option('--repo <url>', 'a repository to clone, or URL=NAME; remembered (repeatable)', collect)
    .option('--concurrency <number>', 'runs at the same time (default: half of the cores)')
    .option('--clone-size <gigabytes>', 'most that a clone may take (default: 20)')
    .option('--agents <names>', 'agents that may work, with commas; or none (default: all here)')
    .option('--label <label>', 'what requests may ask for, such as gpu (repeatable)', collect);
}

export function addRunner(program: Command, act: Act): void {
  const runner = describe(program.command('runner'), SUMMARY, [
    'runner --project ~/code/shop',
    'runner --repo git@example.com:shop/api.git --concurrency 4',
    'runner list',
  ])
    .helpCommand(false)
    .action(act(async () => (await import('./start.ts')).startRunner));
  withRunnerFlags(runner);
  describe(runner.command('list'), 'list the runners of your team', ['runner list --json']).action(
    act(async () => (await import('./list.ts')).listRunners),
  );
  describe(runner.command('projects'), 'list what your runners can work on', [
    'runner projects',
  ]).action(act(async () => (await import('./list.ts')).listProjects));
  describe(runner.command('drain'), 'let a runner finish what it has and take nothing new', [
    'runner drain build-2',
    'runner drain build-2 --off',
  ])
    .argument('<runner>', 'its name or id')
    .option('--off', 'let it take requests again')
    .action(act(async () => (await import('./list.ts')).drainRunner));
  describe(runner.command('remove'), 'forget a runner', ['runner remove build-2'])
    .argument('<runner>', 'its name or id')
    .action(act(async () => (await import('./list.ts')).removeRunner));
  describe(runner.command('limit'), 'say how many runs of a project are made at a time', [
    'runner limit shop 2',
    'runner limit shop none',
  ])
    .argument('<project>', 'its name')
    .argument('<number>', 'at a time, or none for no limit')
    .action(act(async () => (await import('./list.ts')).limitProject));
  addHere(runner, act);
}

/** What is said on the machine of the runner alone. */
function addHere(runner: Command, act: Act): void {
  withRunnerFlags(
    describe(runner.command('install'), 'start a runner whenever you are logged in', [
      'runner install --project ~/code/shop --concurrency 2',
      'runner install --environment-file ~/.config/millrace/runner.env',
    ]),
  )
    .option('--environment-file <file>', 'one with its key, which only you can read')
    .option('--dry-run', 'show the file of the service, and write nothing')
    .action(act(async () => (await import('./service.ts')).installRunner));
  describe(runner.command('uninstall'), 'stop that service and remove it', [
    'runner uninstall',
  ]).action(act(async () => (await import('./service.ts')).uninstallRunner));
  describe(runner.command('allow'), 'say what runs of others may do with a project here', [
    'runner allow shop',
    'runner allow shop --host registry.npmjs.org',
    'runner allow shop --in-place',
  ])
    .argument('<project>', 'its name')
    .option('--in-place', 'they may change the files of its folder itself')
    .option('--no-in-place', 'they may not')
    .option('--commands <where>', 'where commands of manifests run: sandbox, or host')
    .option('--host <host>', 'one that commands may reach from the sandbox (repeatable)', collect)
    .option('--no-hosts', 'they may reach none')
    .option('--own-login <agent>', 'one that may work with your own login (repeatable)', collect)
    .option('--no-own-logins', 'none may')
    .action(act(async () => (await import('./allow.ts')).allow));
  describe(
    runner.command('env'),
    'set variables for runs of a project; they stay on this machine',
    [
      'runner env shop',
      'runner env shop DATABASE_URL=postgres://localhost/test',
      'runner env shop --remove DATABASE_URL',
    ],
  )
    .argument('<project>', 'its name')
    .argument('[variables...]', 'NAME=VALUE, or NAME to take it from this shell')
    .option('--remove <name>', 'one to remove (repeatable)', collect)
    .action(act(async () => (await import('./allow.ts')).setVariables));
  describe(runner.command('forget'), 'take a project away from the runners of this machine', [
    'runner forget shop',
  ])
    .argument('<project>', 'its name')
    .action(act(async () => (await import('./allow.ts')).forget));
}
