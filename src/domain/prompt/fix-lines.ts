// What a fix is told about the attempt before it.
import { quoted, stripTerminal, tailOf } from './prompt-text.ts';

export interface FixDetails {
  failed: { command: string; exitCode: number | null; timedOut: boolean; output: string }[];
  error: string;
  /** What was tried and rolled back. */
  diff: string;
  attempt: number;
  of: number;
}

const KEPT_OUTPUT = 8 * 1024;
const KEPT_DIFF = 16 * 1024;

function howItEnded({ exitCode, timedOut }: FixDetails['failed'][number]): string {
  if (timedOut) return 'ran out of time';
  return exitCode === null ? 'was ended by a signal' : `exited with ${exitCode}`;
}

export function fixLines({ failed, error, diff, attempt, of }: FixDetails): string[] {
  const commands = failed.map((one) => {
    const output = tailOf(stripTerminal(one.output), KEPT_OUTPUT);
    const said = output.trim() === '' ? 'It printed nothing.' : quoted(output, 'text');
    return `This command ${howItEnded(one)}:\n${quoted(one.command, 'sh')}\n${said}`;
  });
  return [
    `# What went wrong\n\nThis is attempt ${attempt} of ${of}. The last one failed and its changes were rolled back: the files above are as they were before it.`,
    ...(commands.length > 0 ? commands : [quoted(stripTerminal(error), 'text')]),
    ...(diff === ''
      ? []
      : [`What was tried and did not pass:\n${quoted(diff.slice(0, KEPT_DIFF), 'diff')}`]),
    'Find the cause, then hand in the whole change again, corrected.',
  ];
}
