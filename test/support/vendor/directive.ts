import type { FaultName } from './faults.ts';
import { isFaultName } from './faults.ts';
import { FAULTS } from './faults.ts';
import { setOption } from './options.ts';
import type { Options } from './options.ts';
import type { Vendor } from './vendors.ts';
import { isVendor, VENDORS } from './vendors.ts';

/** What one sentinel says. Without a fault it only describes the answer. */
export interface Directive {
  fault?: FaultName;
  options: Options;
}

/** Thrown for a sentinel or a rule that nobody can play: the mistake is the test's. */
export class BadScriptError extends Error {
  override name = 'BadScriptError';
}

const SENTINEL = /\[\[vendor:(\w+)((?:"(?:[^"\\]|\\.)*"|[^"\]]|\](?!\]))*)\]\]/g;
const SETTING = /\s*([\w-]+)=("(?:[^"\\]|\\.)*"|[^\s"]+)\s*/y;

/** All sentinels of a prompt, in order. */
export function readDirectives(prompt: string): Directive[] {
  const found = [...prompt.matchAll(SENTINEL)];
  const openings = prompt.split('[[vendor:').length - 1;
  if (openings > found.length) {
    throw new BadScriptError('a sentinel is not closed or has an open quote: [[vendor:reply a=1]]');
  }
  return found.map(([whole, verb = '', settings = '']) => readOne(whole, verb, settings));
}

function readOne(whole: string, verb: string, settings: string): Directive {
  if (verb !== 'fault' && verb !== 'reply') {
    throw new BadScriptError(`${whole}: "${verb}" is neither fault nor reply`);
  }
  const values = readSettings(whole, settings);
  const name = values.get('name');
  values.delete('name');
  if ((verb === 'fault') !== (name !== undefined)) {
    throw new BadScriptError(`${whole}: a fault needs name=..., a reply has none`);
  }
  try {
    return toDirective(name, values);
  } catch (error) {
    throw new BadScriptError(`${whole}: ${(error as Error).message}`, { cause: error });
  }
}

function readSettings(whole: string, settings: string): Map<string, string> {
  const values = new Map<string, string>();
  const text = settings.trim();
  SETTING.lastIndex = 0;
  while (SETTING.lastIndex < text.length) {
    const at = SETTING.lastIndex;
    const match = SETTING.exec(text);
    const [, key, value] = match ?? [];
    if (key === undefined || value === undefined) {
      throw new BadScriptError(`${whole}: key=value expected at "${text.slice(at)}"`);
    }
    values.set(key, value.startsWith('"') ? unquoted(whole, value) : value);
  }
  return values;
}

function unquoted(whole: string, value: string): string {
  try {
    return String(JSON.parse(value));
  } catch {
    throw new BadScriptError(`${whole}: ${value} is not a JSON string`);
  }
}

export function toDirective(
  fault: string | undefined,
  values: Iterable<readonly [string, unknown]>,
): Directive {
  const options: Options = {};
  for (const [key, value] of values) {
    const problem = setOption(options, key, value);
    if (problem !== undefined) throw new BadScriptError(problem);
  }
  if (options.on !== undefined && !isVendor(options.on)) {
    throw new BadScriptError(`on=${options.on} is not one of ${VENDORS.join(', ')}`);
  }
  if (fault === undefined) return { options };
  if (!isFaultName(fault)) {
    throw new BadScriptError(`unknown fault "${fault}"; known: ${[...FAULTS.keys()].join(', ')}`);
  }
  return { fault, options };
}

/**
 * What the n-th call (from 0) of a prompt gets: the replies' settings together, and the first fault
 * whose `times` are not used up yet.
 */
export function directiveFor(
  directives: readonly Directive[],
  { vendor, tier }: { vendor: Vendor; tier?: string | undefined },
  nth: number,
): Directive {
  const mine = directives.filter(
    ({ options }) => (options.on ?? vendor) === vendor && (options.onlyTier ?? tier) === tier,
  );
  const options: Options = {};
  for (const one of mine) if (!one.fault) Object.assign(options, one.options);
  let before = 0;
  for (const one of mine) {
    if (!one.fault) continue;
    before += one.options.times ?? Infinity;
    if (nth < before) return { fault: one.fault, options: { ...options, ...one.options } };
  }
  return { options };
}
