// What a command did, as every command shows it: one JSON document, or a sentence.
import type { CommandOptions } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { note, print } from './terminal/output.ts';

export interface Outcome {
  /** What --json prints. */
  document: object;
  /** On standard output, which may be read by a program. */
  text?: string;
  /** What else to know, on standard error. */
  notes?: readonly string[];
  /** `EXIT.ok` unless it says otherwise. */
  exit?: number;
}

/** Returns the exit code. */
export function showOutcome(options: CommandOptions, outcome: Outcome): number {
  const { document, text, notes = [], exit = EXIT.ok } = outcome;
  if (options['json']) print(JSON.stringify(document));
  else {
    if (text !== undefined) print(text);
    for (const each of notes) note(each);
  }
  return exit;
}
