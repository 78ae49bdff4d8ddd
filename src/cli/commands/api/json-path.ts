// A plain path into an answer, in the notation of jq: `.items[].id`, `.[0].name`, `.["odd name"]`. No filters.
import { CommandError, usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';

export type Step = { kind: 'name'; name: string } | { kind: 'index'; index: number } | typeof EACH;
const EACH = { kind: 'each' } as const;

const STEP = /\.?\[\]|\.?\[(-?\d{1,9})\]|\.?\[("(?:[^"\\]|\\.)*")\]|\.([A-Za-z_]\w*)/y;

function notSupported(path: string): CommandError {
  return usageError(
    `--jq-like "${path}": not a plain path.`,
    'Use names, indexes and [] for every item: .items[].id, .[0].name, .["odd name"]. For filters, pipe the answer into jq.',
  );
}

function nameOf(quoted: string, path: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw notSupported(path);
  }
}

export function parseJsonPath(path: string): Step[] {
  const steps: Step[] = [];
  if (path === '.') return steps;
  // Only a dot begins a path, as in jq.
  if (!path.startsWith('.') || path.startsWith('..')) throw notSupported(path);
  for (STEP.lastIndex = 0; STEP.lastIndex < path.length;) {
    const found = STEP.exec(path);
    if (found === null) throw notSupported(path);
    const [, index, quoted, name] = found;
    if (index !== undefined) steps.push({ kind: 'index', index: Number(index) });
    else if (quoted !== undefined) steps.push({ kind: 'name', name: nameOf(quoted, path) });
    else steps.push(name === undefined ? EACH : { kind: 'name', name });
  }
  return steps;
}

const kindOf = (value: unknown) => (Array.isArray(value) ? 'a list' : `a ${typeof value}`);

function misfit(value: unknown, wanted: string): CommandError {
  const found = value === null ? 'null' : kindOf(value).replace('a object', 'an object');
  return new CommandError({
    code: 'PATH_NOT_FOUND',
    message: `--jq-like: the answer has ${found} where the path needs ${wanted}.`,
    hint: 'Run it without --jq-like to see the whole answer.',
    exit: EXIT.failed,
  });
}

/** What is not there is null, and so is everything below it. */
function take(value: unknown, step: Step): unknown[] {
  if (step.kind === 'each') {
    if (typeof value !== 'object' || value === null) throw misfit(value, 'a list');
    return Object.values(value);
  }
  if (value === null) return [null];
  if (step.kind === 'index') {
    if (!Array.isArray(value)) throw misfit(value, 'a list');
    return [value.at(step.index) ?? null];
  }
  if (typeof value !== 'object' || Array.isArray(value)) throw misfit(value, 'an object');
  const named = value as Record<string, unknown>;
  return [Object.hasOwn(named, step.name) ? named[step.name] : null];
}

export function selectFrom(answer: unknown, steps: readonly Step[]): unknown[] {
  return steps.reduce<unknown[]>(
    (values, step) => values.flatMap((value) => take(value, step)),
    [answer],
  );
}
