// Fields of a request: `name=value`. Brackets make objects and lists: `settings[budgetUsd]=5`, `scopes[]=jobs`.
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { readInput } from './read-input.ts';

type Value = string | number | boolean | null;

export interface Field {
  name: string;
  value: Value;
}

const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** What is wrong is named without the value, which may be a secret. */
function split(given: string, flag: string): [string, string] {
  const at = given.indexOf('=');
  if (at > 0) return [given.slice(0, at), given.slice(at + 1)];
  throw usageError(`${flag}: a field needs a name and a value.`, 'Write it as name=value.');
}

async function typed(name: string, text: string): Promise<Value> {
  const constant = CONSTANTS.get(text);
  if (constant !== undefined) return constant;
  if (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text);
  return text.startsWith('@') ? readInput(text.slice(1), `-F ${name}`) : text;
}

export async function readFields(options: CommandOptions): Promise<Field[]> {
  const given = (name: string) => (options[name] as unknown as string[] | undefined) ?? [];
  const fields = given('field').map((each): Field => {
    const [name, value] = split(each, '--field');
    return { name, value };
  });
  for (const each of given('typedField')) {
    const [name, text] = split(each, '--typed-field');
    fields.push({ name, value: await typed(name, text) });
  }
  return fields;
}

export function queryOf(fields: readonly Field[]): [string, string][] {
  return fields.map(({ name, value }) => [name, String(value ?? '')]);
}

/** `a[b][]` is `a`, `b` and, for the end of a list, an empty word. */
function wordsOf(name: string): [string, ...string[]] {
  const [, first, rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? [];
  if (first !== undefined) {
    return [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, word = '']) => word)];
  }
  throw usageError(
    `The field "${name}" has brackets in the wrong place.`,
    'Write parts of an object as name[part]=value, and items of a list as name[]=value.',
  );
}

type Container = Record<string, unknown> | unknown[];

function put(into: Container, word: string, value: unknown, name: string): void {
  if (Array.isArray(into) !== (word === '')) {
    throw usageError(
      `The field "${name}" is used in two ways.`,
      'A field is a value, a list (name[]) or an object (name[part]), not several of them.',
    );
  }
  if (Array.isArray(into)) into.push(value);
  else if (Object.hasOwn(into, word)) {
    throw usageError(`The field "${name}" was given twice.`, 'For a list, write name[]=value.');
  } else into[word] = value;
}

/** Without a prototype: any name is a field. */
const newContainer = (next: string): Container =>
  next === '' ? [] : (Object.create(null) as Record<string, unknown>);

export function bodyOf(fields: readonly Field[]): Record<string, unknown> {
  const body = newContainer('body') as Record<string, unknown>;
  for (const { name, value } of fields) {
    const words = wordsOf(name);
    let at: Container = body;
    for (const [index, next] of words.slice(1).entries()) {
      const word = words[index]!;
      const known: unknown = Array.isArray(at) ? undefined : at[word];
      if (typeof known === 'object' && known !== null) at = known as Container;
      else {
        const made = newContainer(next);
        put(at, word, made, name);
        at = made;
      }
    }
    put(at, words.at(-1)!, value, name);
  }
  return body;
}
