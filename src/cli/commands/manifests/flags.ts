// init, validate, plan, learn: work on a manifest. None of them talks to a server.
import type { Command } from 'commander';
import { Option } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';

export function addManifests(program: Command, act: Act): void {
  describe(program.command('init'), 'write a manifest that fits this project', [
    'init',
    'init --template feature --name checkout',
    'init --template workflow review.yaml',
  ])
    .argument('[file]', 'the file to write', 'millrace.yaml')
    .addOption(
      new Option('--template <name>', 'what to start from')
        .choices(['basic', 'feature', 'workflow'])
        .default('basic'),
    )
    .option('--name <name>', 'name of the feature or workflow (default: of the folder)')
    .option('--force', 'overwrite the file if there is one')
    .action(act(async () => (await import('./init/init.ts')).init));
  describe(program.command('validate'), 'check manifests, and show what is wrong and where', [
    'validate',
    'validate --strict a.yaml b.yaml',
    'validate - --json < generated.yaml',
  ])
    .argument('[files...]', 'manifests (default millrace.yaml; - for standard input)')
    .option('--strict', 'warnings count as errors')
    .action(act(async () => (await import('./validate.ts')).validate));
  describe(program.command('plan'), 'show what would run, in which order, and what it may cost', [
    'plan',
    'plan --model claude-opus-4-8 --concurrency 4',
    'plan --graph mermaid > plan.mmd',
  ])
    .argument('[file]', 'the manifest (- for standard input)', 'millrace.yaml')
    .addOption(
      new Option('--graph <format>', 'print only the graph').choices(['ascii', 'mermaid', 'dot']),
    )
    .option('--detailed-exitcode', 'exit with 0 when there is nothing to do, with 10 otherwise')
    .option('--model <id>', 'estimate with this model, whatever the manifest says')
    .option('--concurrency <number>', 'streams that run at the same time', '8')
    .action(act(async () => (await import('./plan.ts')).plan));
  describe(program.command('learn'), 'find dependencies from what streams read of each other', [
    'learn',
    'learn --write',
    'learn plan.yaml --json',
  ])
    .argument('[file]', 'the manifest (- for standard input)', 'millrace.yaml')
    .option('--write', 'write the dependencies into the file')
    .action(act(async () => (await import('./learn.ts')).learn));
}
