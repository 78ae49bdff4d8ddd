// How much a model takes in, and how much of that a stream is shown of its project. Ids of models are
// never checked against a list: for one that nobody knows a common window is assumed.
import { factsOf } from './model-facts.ts';
import { isOpenLength, boundedLength } from './model-limits.ts';
import { routeModel } from './model-routing.ts';

const COMMON_WINDOW = 128_000;

/** Tokens of input and output together, where there are no facts. The first that matches counts; on the safe side. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/^claude-(?:2|instant)/, 100_000],
  [/^claude-/, 200_000],
  [/^(?:gpt-(?:[5-9]|\d\d)|codex-)/, 400_000],
  [/^gpt-4-32k/, 32_000],
  [/^gpt-4(?:-0\d{3})?$/, 8192],
  [/^gpt-3/, 16_384],
  [/^o1-(?:mini|preview)/, 128_000],
  [/^o\d/, 200_000],
  [/^gemini-/, 1_000_000],
  [/^gemma-?[12]/, 8192],
  [/^sim-/, 200_000],
];

/** Undefined where neither facts nor the shape of the id say it. */
export function knownWindowOf(model: string): number | undefined {
  const known = factsOf(model)?.contextTokens;
  if (known) return known;
  const routed = routeModel(model);
  const id = routed.kind === 'routed' ? routed.model : model;
  const name = id.slice(id.lastIndexOf('/') + 1).toLowerCase();
  return WINDOWS.find(([shape]) => shape.test(name))?.[1];
}

/** `served`: as the model's own server says it, which is asked where nothing else is known. */
export function contextWindowOf(model: string, served?: number): number {
  return knownWindowOf(model) ?? served ?? COMMON_WINDOW;
}

/** More than this costs more than it helps; a manifest can ask for it. */
const MOST_SHOWN = 100_000;
/** The rest is for the instructions, the plan, what a fix gets to know, and an estimate that is too low. */
const SHARE_OF_WINDOW = 1 / 3;
/** The instructions, the plan and what went wrong before. */
const KEPT_FREE = 8000;
const LEAST_SHOWN = 1000;

/** Of a small window, what an answer takes whose length nobody set. */
const ANSWER_SHARE = 1 / 4;

function answerRoom(model: string, maxTokens: number, window: number): number {
  const bounded = boundedLength(model, maxTokens);
  return isOpenLength(model, maxTokens) ? Math.min(bounded, window * ANSWER_SHARE) : bounded;
}

/** Tokens of the project that a stream is shown when the manifest does not say how many. */
export function contextTokensOf(
  model: string,
  maxTokens: number,
  {
    taken = 0,
    served,
  }: { /** By the instructions. */ taken?: number; served?: number | undefined } = {},
): number {
  const window = contextWindowOf(model, served);
  const free = window - answerRoom(model, maxTokens, window) - taken - KEPT_FREE;
  const room = Math.min(window * SHARE_OF_WINDOW, MOST_SHOWN, free);
  return Math.max(LEAST_SHOWN, Math.floor(room));
}
