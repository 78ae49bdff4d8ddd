// How a command ended, in the words of every view.

export const TOO_LONG = 'took too long';
export const ENDED = 'was ended';

/** Without a limit that says why. */
export function isJustEnded(outcome: string | undefined): boolean {
  return outcome === ENDED || outcome === ENDED + sandboxNote({ sandboxed: true });
}

/** Behind a command, in every view. */
export function sandboxNote({ sandboxed }: { sandboxed?: true | undefined }): string {
  return sandboxed ? ' (sandbox)' : '';
}

export interface CommandEnd {
  exitCode: number | null;
  timedOut: boolean;
  sandboxed?: true | undefined;
  limit?: string | undefined;
}

function howItEnded({ exitCode, timedOut, limit }: CommandEnd): string {
  if (limit !== undefined) return `${ENDED}: ${limit.replace(/\.$/, '')}`;
  if (timedOut) return TOO_LONG;
  return exitCode === null ? ENDED : `exited with ${exitCode}`;
}

export function outcomeOf(command: CommandEnd): string {
  return howItEnded(command) + sandboxNote(command);
}
