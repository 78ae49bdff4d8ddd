// What is known of the models of a plan and worth saying before they are asked.
import { factsOf } from '../../../domain/model/model-facts.ts';
import type { Problem } from '../../../manifest/problem.ts';
import { commandLine } from '../../command-name.ts';

const OLD_DAYS = 180;
const DAY_MS = 86_400_000;

interface AskedModel {
  id: string;
  model: string;
  reasoning?: string;
}

const warning = (code: string, message: string, hint: string, path = ''): Problem => ({
  severity: 'warning',
  code,
  message,
  hint,
  path,
  line: 1,
  column: 1,
});

function ofModel(model: string, now: Date): Problem[] {
  const facts = factsOf(model);
  if (facts === undefined) return [];
  const found: Problem[] = [];
  if (facts.status === 'retired') {
    const message = `${model} is retired: its vendor no longer answers calls of it.`;
    const hint = `Choose another with: ${commandLine('models')}`;
    found.push(warning('MODEL_RETIRED', message, hint));
  }
  const { read } = facts.source;
  if (now.getTime() - Date.parse(read) > OLD_DAYS * DAY_MS) {
    const message = `The price of ${model} was looked up on ${read}; it may have changed.`;
    const hint = 'Update Millrace, or write the price into MILLRACE_PRICES_FILE.';
    found.push(warning('PRICE_OLD', message, hint));
  }
  return found;
}

function ofStream({ id, model, reasoning }: AskedModel): Problem[] {
  if (reasoning === undefined || factsOf(model)?.reasoning.kind !== 'none') return [];
  const message = `${id} asks for reasoning, but ${model} does not reason: it is asked without.`;
  const hint = 'Leave reasoning out, or use another model.';
  return [warning('REASONING_IGNORED', message, hint, `streams.${id}.reasoning`)];
}

export function modelFactWarnings(asked: readonly AskedModel[], now: Date): Problem[] {
  const models = new Set(asked.map(({ model }) => model));
  return [...[...models].flatMap((model) => ofModel(model, now)), ...asked.flatMap(ofStream)];
}
