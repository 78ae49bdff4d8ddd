// What `millrace new` says and does once the manifest is written.
import { isSimulatedModel } from '../../../../domain/model/model-routing.ts';
import type { ComposedPlan } from '../../../../manifest/compose/compose.ts';
import type { Usage } from '../../../../planner/propose.ts';
import { commandLine } from '../../../command-name.ts';
import type { CommandOptions } from '../../../command.ts';
import { EXIT } from '../../../exit-codes.ts';
import { countOf } from '../../../terminal/figures.ts';
import { note, print } from '../../../terminal/output.ts';
import { plain } from '../../../terminal/plain-text.ts';
import { DEFAULT_MANIFEST } from '../source.ts';
import { usageText } from './make-plan.ts';
import { openEditor } from '../../../terminal/open-editor.ts';

export interface Written {
  file: string;
  plan: ComposedPlan;
  usage: Usage | undefined;
  model: string | undefined;
  editor: string | undefined;
  /** Checks of the project whose programs this machine lacks. */
  notHere: readonly string[];
}

/** The flags of this call that the commands to type next need as well. */
function keptWords({ model, instructions, git }: CommandOptions): string[] {
  return [
    ...(typeof git === 'string' ? ['--git', git] : []),
    ...(typeof model === 'string' ? ['--model', model] : []),
    ...(instructions === false ? ['--no-instructions'] : []),
  ];
}

function sayWhatWasMade(
  { streams, remarks }: ComposedPlan,
  { file, usage, model, notHere }: Written,
): void {
  const used = usage === undefined ? '' : ` (${usageText(usage)})`;
  print(`Wrote ${file} with ${countOf(streams.length, 'stream')}${used}.`);
  const gain = remarks.find(({ rule }) => rule === 'gain');
  if (gain !== undefined) note(`It is ${plain(gain.text)}.`);
  const others = new Set(remarks.filter(({ rule }) => rule !== 'gain').map(({ text }) => text))
    .size;
  if (others > 0) {
    note(`The plan was repaired in ${countOf(others, 'place')}; comments in the file say how.`);
  }
  if (notHere.length > 0) {
    note(`Left out, because its program is not on this machine: ${plain(notHere.join(', '))}.`);
  }
  if (streams.every(({ verify }) => verify.length === 0)) {
    note('No stream has a check: add one as `verify`, or the first answer counts as done.');
  }
  if (usage !== undefined && isSimulatedModel(model ?? '')) {
    note('The simulator planned it: by names and imports alone, not by what the task means.');
  }
}

/** The manifest is there: what is in it, and what comes next. */
export async function continueWith(written: Written, options: CommandOptions): Promise<number> {
  const { file, plan, usage, editor } = written;
  if (options['json'] && !options['run']) {
    const { feature, streams, remarks } = plan;
    const ids = streams.map(({ id }) => id);
    print(JSON.stringify({ file, feature, streams: ids, remarks, ...(usage && { usage }) }));
    return EXIT.ok;
  }
  if (!options['json']) sayWhatWasMade(plan, written);
  if (editor !== undefined) await openEditor(editor, file);
  const isUsual = file === DEFAULT_MANIFEST;
  const flags = { ...options, concurrency: '8' };
  if (options['run']) return (await import('../../runs/run.ts')).run(flags, [file]);
  print('');
  const exit = await (await import('../make-plan.ts')).plan(flags, [file]);
  if (exit !== EXIT.ok) return exit;
  const words = [...(isUsual ? [] : [file]), ...keptWords(options)];
  note(`Next: read ${file} and change what you want. Then:`);
  note(`  ${commandLine('plan', ...words)}    # the waves, and what they may cost`);
  note(`  ${commandLine('run', ...words)}     # do it`);
  return EXIT.ok;
}
