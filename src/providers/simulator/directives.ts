import { readCalls } from './call-directive.ts';
import { FAILURES, isFailureKind } from './failures.ts';
import type { Script, ScriptedFailure } from './script-model.ts';

// Every directive a prompt can hold, as data: the reader, the error message for an unknown one and
// the test that holds docs/simulator.md complete all use this table.

interface Directive {
  /** The arguments, as a person writes them. */
  usage: string;
  meaning: string;
  /** Changes the script, or says what is wrong with the arguments. */
  apply(script: Script, argument: string): string | undefined;
}

const MAX_TOKENS = 200_000;
const MAX_WAIT_MS = 3_600_000;

export const DIRECTIVES: ReadonlyMap<string, Directive> = new Map([
  ...Object.keys(FAILURES).map((kind) => [kind, failing(kind)] as const),
  [
    'fail',
    {
      usage: '2 overloaded',
      meaning: 'fails that many calls of this prompt with that kind, then answers',
      apply: (script, argument) => {
        const [times, kind, ...rest] = words(argument);
        const count = whole(times, 100);
        if (count === undefined || count === 0) return 'needs how often to fail, 1 to 100';
        return setFailure(script, [kind, ...rest], { times: count });
      },
    },
  ],
  [
    'cut',
    {
      usage: '5 network',
      meaning: 'fails with that kind after that many tokens',
      apply: (script, argument) => {
        const [tokens, kind, ...rest] = words(argument);
        const afterTokens = whole(tokens, MAX_TOKENS);
        if (afterTokens === undefined) return `needs a number of tokens, 0 to ${MAX_TOKENS}`;
        return setFailure(script, [kind, ...rest], { afterTokens });
      },
    },
  ],
  ['tokens', numeric('500', 'answers with exactly that many tokens', MAX_TOKENS, 'tokens')],
  ['delay', numeric('3000', 'milliseconds to the first token', MAX_WAIT_MS, 'ttftMs')],
  ['pace', numeric('50', 'milliseconds between two chunks', 60_000, 'chunkMs')],
  [
    'plan',
    {
      usage: '12 steps 4 waves',
      meaning: 'where the prompt asks for a plan, plans that many steps in that many waves',
      apply: (script, argument) => {
        const [count, steps, depth, waves, ...rest] = words(argument);
        const [stepCount, waveCount] = [whole(count, 200), whole(depth, 200)];
        const isShaped = /^steps?$/.test(steps ?? '') && /^waves?$/.test(waves ?? '');
        if (!stepCount || !waveCount || !isShaped || rest.length > 0 || waveCount > stepCount) {
          return 'needs a shape such as 12 steps 4 waves, with at most 200 steps and no more waves';
        }
        script.plan = { steps: stepCount, waves: waveCount };
        return undefined;
      },
    },
  ],
  [
    'call',
    {
      usage: 'NAME {"path":"a.md"}',
      meaning: 'calls that tool; the next such directive counts for the next turn of the model',
      apply: (script, argument) => addCalls(script, argument, 1),
    },
  ],
  [
    'calls',
    {
      usage: 'NAME {"path":"a.md"} NAME {}',
      meaning: 'calls several tools in one turn',
      apply: (script, argument) => addCalls(script, argument, Infinity),
    },
  ],
  ['hang', plain('never answers; the call ends when it is cancelled', { hang: true })],
  ['no-artifact', plain('answers with prose only', { artifact: 'none' })],
  ['bad-artifact', plain('answers with an artifact that is refused', { artifact: 'bad' })],
  ['edits', plain('writes the artifact in the plain-text form', { artifact: 'edits' })],
  [
    'echo',
    {
      usage: 'any text',
      meaning: 'answers with exactly this text (which cannot hold two closing brackets)',
      apply: (script, argument) => {
        script.reply = argument;
        return undefined;
      },
    },
  ],
  [
    'reply',
    {
      usage: '',
      meaning:
        'answers with exactly the text up to the closing [[/sim:reply]]; with for=ID only in that stream',
      // The reader of the script takes the text; this is reached when something else follows.
      apply: () => 'takes only for=ID; its text comes between [[sim:reply]] and [[/sim:reply]]',
    },
  ],
] as [string, Directive][]);

/** `inner` is what stands between `[[sim:` and `]]`. Returns a problem in words, if there is one. */
export function applyDirective(script: Script, inner: string): string | undefined {
  const name = /^[a-z_-]*/.exec(inner)?.[0] ?? '';
  const directive = DIRECTIVES.get(name);
  const rest = inner.slice(name.length);
  if (directive === undefined || !/^(?:$|\s)/.test(rest)) {
    const known = [...DIRECTIVES.keys()].join(', ');
    return `there is no directive [[sim:${printable(inner)}]]; use one of ${known}`;
  }
  const problem = directive.apply(script, rest.slice(1));
  return problem === undefined ? undefined : `[[sim:${printable(inner)}]] ${problem}`;
}

function failing(kind: string): Directive {
  const cut = isFailureKind(kind) && FAILURES[kind].afterTokens > 0;
  return {
    usage: kind === 'rate_limit' ? 'retry-after=2' : '',
    meaning: `fails with ${kind}${cut ? ' after some text' : ''}`,
    apply: (script, argument) => setFailure(script, [kind, ...words(argument)], {}),
  };
}

function setFailure(
  script: Script,
  [kind = '', ...options]: (string | undefined)[],
  more: Partial<ScriptedFailure>,
): string | undefined {
  if (!isFailureKind(kind)) {
    return `needs a kind of failure: ${Object.keys(FAILURES).join(', ')}`;
  }
  const failure: ScriptedFailure = { kind, afterTokens: FAILURES[kind].afterTokens, ...more };
  for (const option of options) {
    const seconds = /^retry-after=(\d{1,4}(?:\.\d{1,3})?)$/.exec(option ?? '')?.[1];
    if (seconds === undefined) return 'takes only retry-after=SECONDS, such as retry-after=2';
    failure.retryAfterMs = Math.round(Number(seconds) * 1000);
  }
  script.failure ??= failure;
  return undefined;
}

function addCalls(script: Script, argument: string, most: number): string | undefined {
  const calls = readCalls(argument);
  if (typeof calls === 'string') return calls;
  if (calls.length > most) return 'takes one tool; [[sim:calls ...]] calls several in one turn';
  (script.calls ??= []).push(calls);
  return undefined;
}

function numeric(
  usage: string,
  meaning: string,
  max: number,
  field: 'tokens' | 'ttftMs' | 'chunkMs',
): Directive {
  return {
    usage,
    meaning,
    apply: (script, argument) => {
      const value = whole(argument.trim(), max);
      if (value === undefined) return `needs a whole number from 0 to ${max}`;
      script[field] = value;
      return undefined;
    },
  };
}

function plain(meaning: string, change: Partial<Script>): Directive {
  return {
    usage: '',
    meaning,
    apply: (script, argument) => {
      if (argument.trim() !== '') return 'takes nothing';
      Object.assign(script, change);
      return undefined;
    },
  };
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function whole(text: string | undefined, max: number): number | undefined {
  if (text === undefined || !/^\d{1,9}$/.test(text)) return undefined;
  const value = Number(text);
  return value <= max ? value : undefined;
}

// The message becomes the job's error, so it must be short and storable.
function printable(text: string): string {
  return text
    .slice(0, 60)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ');
}
