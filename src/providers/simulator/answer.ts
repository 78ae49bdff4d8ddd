import type { ProviderRequest } from '../provider.ts';
import { artifactText } from './artifact-text.ts';
import { pieces } from './pieces.ts';
import { planText } from './plan-text.ts';
import { createProse, seededRandom } from './prose.ts';
import type { Script } from './script-model.ts';

/** Gives the next token, or undefined after the last. Nothing is made before it is asked for. */
export type TokenSource = () => string | undefined;

/** The answer, token by token. The same seed gives the same answer. */
export function createAnswer(
  request: Pick<ProviderRequest, 'model' | 'prompt' | 'streamId'>,
  script: Script,
  seed: number,
): TokenSource {
  if (script.reply !== undefined) return fromIterator(pieces(script.reply));
  const plan = planText(request, script);
  if (plan !== undefined) return fromIterator(pieces(plan));
  const random = seededRandom(seed);
  const word = createProse(request.model, random);
  const block = artifactText(request, script.artifact, seededRandom(seed ^ 0x5bd1e995));
  const ending = block === '' ? [] : [...pieces(`\n\n${block}\n`)];
  if (script.tokens === undefined) {
    // Whole sentences: a few for the eye, not so many that a test has to wait for them.
    const enough = 30 + Math.floor(random() * 60);
    return concat(untilSentenceEnd(word, enough), fromIterator(ending.values()));
  }
  // Too few tokens for the block: prose alone, as half a block would only look like a fault.
  const fits = script.tokens >= ending.length;
  const words = first(word, fits ? script.tokens - ending.length : script.tokens);
  return fits ? concat(words, fromIterator(ending.values())) : words;
}

function untilSentenceEnd(word: () => string, atLeast: number): TokenSource {
  let count = 0;
  let ended = false;
  return () => {
    if (ended) return undefined;
    const next = word();
    ended = ++count >= atLeast && next.endsWith('.');
    return next;
  };
}

function first(word: () => string, count: number): TokenSource {
  let left = count;
  return () => (left-- > 0 ? word() : undefined);
}

function concat(before: TokenSource, after: TokenSource): TokenSource {
  return () => before() ?? after();
}

function fromIterator(iterator: Iterator<string, unknown>): TokenSource {
  return () => {
    const next = iterator.next();
    return next.done === true ? undefined : next.value;
  };
}
