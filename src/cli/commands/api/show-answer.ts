// An answer of the server on standard output: as it is in a pipe, readable on a terminal.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { MillraceConnectionError } from '../../../client/index.ts';
import type { CommandOptions } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { printAnswer } from '../../terminal/answer-text.ts';
import { isClosed } from '../../terminal/closed-output.ts';
import { print } from '../../terminal/output.ts';
import type { Step } from './json-path.ts';

export function isJson(response: Response): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '');
}

export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new MillraceConnectionError('The answer is not the JSON that it says it is.', error);
  }
}

export function showJson(value: unknown): void {
  if (process.stdout.isTTY) printAnswer(JSON.stringify(value, null, 2));
  else print(JSON.stringify(value));
}

async function copy(body: ReadableStream): Promise<void> {
  try {
    await pipeline(Readable.fromWeb(body), process.stdout, { end: false });
  } catch (error) {
    if (isClosed(error as Error)) return;
    throw new MillraceConnectionError('The answer broke off.', error);
  }
}

/** `selection`: a part of it was asked for, which only JSON has. */
export async function showAnswer(response: Response, selection: string | undefined): Promise<void> {
  if (selection !== undefined) {
    await response.body?.cancel();
    throw new CommandError({
      code: 'NOT_JSON',
      message: '--jq-like: the answer is not JSON.',
      hint: 'Run it without --jq-like to see the answer.',
      exit: EXIT.failed,
    });
  }
  if (!isJson(response)) {
    if (response.body) await copy(response.body);
    return;
  }
  if (process.stdout.isTTY) showJson(await readJson(response));
  else print(await response.text());
}

/** A line for each value, texts without quotes. With --json one document, a list where the path names several values. */
export function showSelected(
  values: readonly unknown[],
  steps: readonly Step[],
  options: CommandOptions,
): void {
  if (options['json']) {
    showJson(steps.some(({ kind }) => kind === 'each') ? values : values[0]);
    return;
  }
  for (const value of values) {
    if (typeof value === 'string') printAnswer(value);
    else showJson(value);
  }
}
