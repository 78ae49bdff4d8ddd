// The command that runs a manifest again as it was started. The flags come from the journal of the run, which
// others may have written: only flags that are known here get into a command that a person pastes.

/** Flags of `millrace run` that take a value and belong to the run, not to one call of it. */
export const KEPT_VALUE_FLAGS: ReadonlySet<string> = new Set([
  '--only',
  '--from',
  '--skip',
  '--concurrency',
  '--provider-concurrency',
  '--model',
  '--reasoning',
  '--service-tier',
  '--max-cost',
  '--max-attempts',
  '--timeout',
  '--apply',
  '--review-in',
  '--agent',
  '--git',
  '--verify-concurrency',
]);
export const KEPT_SWITCHES: ReadonlySet<string> = new Set([
  '--review',
  '--no-warm',
  '--private',
  '--no-recheck',
  '--no-cache',
  '--no-instructions',
  '--sandbox-commands',
  '--signoff',
  '--keep',
]);
/** Where it acts, and as whom. A key goes to what --url names, so it is never taken from others. */
const PLACE_FLAGS: ReadonlySet<string> = new Set(['--data-dir', '--profile', '--team']);

/** Streams that were named; a resumed run of the rest names its own. */
const SELECTION: ReadonlySet<string> = new Set(['--only', '--from', '--skip']);

export interface StartedRun {
  /** Of the manifest, in the project. */
  file: string;
  args: readonly string[];
}

export function keptWords(args: readonly string[], without: ReadonlySet<string>): string[] {
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const flag = args[at]!;
    const isValued = KEPT_VALUE_FLAGS.has(flag) || PLACE_FLAGS.has(flag);
    if (isValued) {
      const value = args[(at += 1)];
      if (value !== undefined && !without.has(flag)) words.push(flag, value);
    } else if (KEPT_SWITCHES.has(flag) && !without.has(flag)) words.push(flag);
  }
  return words;
}

/** `millrace` and these words resume the run. */
export function resumeWords({ file, args }: StartedRun): string[] {
  return ['run', file, ...keptWords(args, new Set())];
}

/** The same for other streams, which the caller names. */
export function rerunWords({ file, args }: StartedRun, ...selection: string[]): string[] {
  return ['run', file, ...keptWords(args, SELECTION), ...selection];
}
