// What the server has to know of a client's own request to a model: which models it names, how long the answer may be,
// and what in it has no bound, or is kept at the vendor.

export interface StoredObject {
  /** Where the body names it. */
  field: string;
  id: string;
}

export interface CallFacts {
  /** Every model that it names, the one it asks first. */
  models: readonly string[];
  isStream: boolean;
  /** The longest answer that it allows; undefined: it says nothing; `invalid`: no positive whole number. */
  maxOutput: number | 'invalid' | undefined;
  /** How many answers it asks for. */
  candidates: number;
  /** Inline pictures, whose tokens do not follow from their bytes. */
  images: { count: number; bytes: number };
  /** Why its cost has no bound, for people. */
  unbounded: readonly string[];
  stored: readonly StoredObject[];
  /** As it is spelled; undefined where it asks for none. */
  tier: string | undefined;
  /** Prompts may be kept for an hour, which has a price of its own. */
  keptForAnHour: boolean;
  /** A streamed chat completion that asks for its usage. */
  asksUsage: boolean;
  /** Whether it brings tools, around which vendors add text of their own. */
  hasTools: boolean;
}

/** What readers collect. */
export interface Draft {
  models: string[];
  maxOutput: (number | 'invalid')[];
  candidates: number;
  images: { count: number; bytes: number };
  unbounded: Set<string>;
  stored: StoredObject[];
  keptForAnHour: boolean;
}

export function newDraft(): Draft {
  return {
    models: [],
    maxOutput: [],
    candidates: 1,
    images: { count: 0, bytes: 0 },
    unbounded: new Set(),
    stored: [],
    keptForAnHour: false,
  };
}

export function takeLength(draft: Draft, value: unknown): void {
  if (value == null) return;
  const isLength = typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
  draft.maxOutput.push(isLength ? value : 'invalid');
}

export function takeCandidates(draft: Draft, value: unknown): void {
  if (value == null) return;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= 128) {
    draft.candidates = Math.max(draft.candidates, value);
  } else draft.unbounded.add('a number of answers that is no whole number from 1 to 128');
}

export function takeModel(draft: Draft, value: unknown): void {
  if (typeof value === 'string' && value !== '') draft.models.push(value);
}

export function takeImage(draft: Draft, data: unknown): void {
  draft.images.count += 1;
  if (typeof data === 'string') draft.images.bytes += data.length;
}

export function takeStored(draft: Draft, field: string, value: unknown): void {
  if (value == null) return;
  const id = typeof value === 'string' ? value : JSON.stringify(value).slice(0, 200);
  if (id !== '') draft.stored.push({ field, id });
}

/** Of several limits the largest counts. */
function longest(lengths: Draft['maxOutput']): CallFacts['maxOutput'] {
  if (lengths.length === 0) return undefined;
  return lengths.includes('invalid') ? 'invalid' : Math.max(...(lengths as number[]));
}

/** What all protocols say in the same way, beside what was gathered. */
export function factsOf(
  draft: Draft,
  said: Pick<CallFacts, 'isStream' | 'asksUsage' | 'hasTools'> & { tier: unknown },
): CallFacts {
  const { tier, ...rest } = said;
  return {
    ...draft,
    ...rest,
    unbounded: [...draft.unbounded],
    maxOutput: longest(draft.maxOutput),
    tier: typeof tier === 'string' ? tier : undefined,
  };
}
