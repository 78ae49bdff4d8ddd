// millrace plan
import type { Command } from 'commander';
import { Option } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { instructionsFlag } from '../../flag-values.ts';
import { gitFlag } from '../runs/git-flag.ts';

export function addPlan(program: Command, act: Act): void {
  describe(program.command('plan'), 'show what would run, in which order, and what it may cost', [
    'plan',
    'plan --model claude-opus-5-5 --concurrency 4',
    'plan --graph mermaid > plan.mmd',
  ])
    .argument('[file]', 'the manifest (- for standard input)', 'millrace.yaml')
    .addOption(
      new Option('--graph <format>', 'print only the graph').choices(['ascii', 'mermaid', 'dot']),
    )
    .option('--detailed-exitcode', 'exit with 10 when there is work to do, with 0 otherwise')
    .option('--context', 'list the files that each stream would be shown')
    .addOption(instructionsFlag())
    .option('--model <id>', 'estimate with this model, whatever the manifest says')
    .option('--agent <name>', 'plan for this agent, whatever the manifest says')
    .addOption(gitFlag())
    .option('--concurrency <number>', 'streams that run at the same time', '8')
    .action(act(async () => (await import('./make-plan.ts')).plan));
}
