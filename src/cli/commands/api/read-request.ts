// What the words and flags of `millrace api` ask for.
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { textOf } from '../../flag-values.ts';
import { bodyOf, queryOf, readFields } from './request-fields.ts';
import { readInput } from './read-input.ts';
import { SUCH_AS } from './request-path.ts';

export interface ApiRequest {
  method: string;
  /** As it was typed. */
  path: string;
  query: readonly (readonly [string, string])[];
  body: unknown;
}

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const isMethod = (word: string) => METHODS.includes(word.toUpperCase());

function wordsOf(args: readonly string[]): { method: string | undefined; path: string } {
  const [first = '', second] = args;
  if (second !== undefined) {
    if (isMethod(first)) return { method: first.toUpperCase(), path: second };
    throw usageError(`Unknown method "${first}".`, `Use ${METHODS.join(', ')}.`);
  }
  if (!isMethod(first)) return { method: undefined, path: first };
  throw usageError('No path given.', SUCH_AS);
}

async function bodyFrom(file: string): Promise<unknown> {
  const text = await readInput(file, '--input');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw usageError(`--input: ${file === '-' ? 'standard input' : file} is not JSON.`);
  }
}

export async function readRequest(
  options: CommandOptions,
  args: readonly string[],
): Promise<ApiRequest> {
  const { method: named, path } = wordsOf(args);
  if (path.trim() === '') throw usageError('The path is empty.', SUCH_AS);
  const input = textOf(options, 'inputFile');
  const fields = await readFields(options);
  const hasBody = input !== undefined || fields.length > 0;
  // Only lists have pages, and lists are read.
  const method = named ?? (hasBody && !options['paginate'] ? 'POST' : 'GET');
  if (method === 'GET' && input !== undefined) {
    throw usageError('GET takes no body.', 'Leave out --input, or name another method.');
  }
  if (method !== 'GET' && options['paginate']) {
    throw usageError('--paginate reads lists.', `Use it with GET, not with ${method}.`);
  }
  // A body that was given whole stays as it is.
  const isForQuery = method === 'GET' || input !== undefined;
  const fromFields = isForQuery || fields.length === 0 ? undefined : bodyOf(fields);
  return {
    method,
    path,
    query: isForQuery ? queryOf(fields) : [],
    body: input === undefined ? fromFields : await bodyFrom(input),
  };
}
