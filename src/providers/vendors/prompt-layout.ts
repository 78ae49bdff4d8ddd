// One layout of a prompt for all vendors: the system part, then project, stream and task as parts
// of one message, always in this order and byte for byte the same, so that whatever a vendor caches
// by prefix is found again. Where a vendor wants the cuts marked, they are marked.
import { estimateTokenCount } from 'tokenx';
import type { Caching } from '../../domain/prompt/caching-hints.ts';
import type { PromptParts, ProviderRequest } from '../provider.ts';

/** Vendors cache nothing shorter than this; a mark there would only cost a write. */
const MIN_CACHED_TOKENS = 1024;

export interface PromptText {
  text: string;
  /** A prefix that may be cached ends here; for an hour, or for as long as the vendor does unasked. */
  mark?: 'hour' | 'usual';
}

export interface PromptLayout {
  system: PromptText | undefined;
  /** The parts of one message. */
  user: readonly PromptText[];
}

const BEFORE_TASK = ['systemContent', 'projectContext', 'streamContext'] as const;

/** Which parts end a prefix that is long enough to be cached, and may be cached at all. */
function cachedParts(parts: PromptParts, caching: Caching): Set<keyof PromptParts> {
  const cached = new Set<keyof PromptParts>();
  let tokens = 0;
  for (const name of BEFORE_TASK) {
    if (parts[name] === '') continue;
    tokens += estimateTokenCount(parts[name]);
    if (tokens >= MIN_CACHED_TOKENS && caching[name] !== 'none') cached.add(name);
  }
  return cached;
}

/** Vendors refuse a long life after a short one: only a run of parts from the start may be long. */
function longLived(cached: ReadonlySet<unknown>, caching: Caching): Set<keyof PromptParts> {
  const kept = new Set<keyof PromptParts>();
  for (const name of BEFORE_TASK) {
    if (!cached.has(name)) continue;
    if (caching[name] !== '1h') break;
    kept.add(name);
  }
  return kept;
}

/** `takesMarks`: the vendor wants to know where prefixes end. */
export function layOutPrompt(
  { prompt, parts, caching = {} }: Pick<ProviderRequest, 'prompt' | 'parts' | 'caching'>,
  takesMarks: boolean,
): PromptLayout {
  if (parts === undefined) return { system: undefined, user: [{ text: prompt }] };
  const cached = takesMarks ? cachedParts(parts, caching) : new Set();
  const kept = longLived(cached, caching);
  const textOf = (name: keyof PromptParts): PromptText => {
    const text = parts[name];
    if (!cached.has(name)) return { text };
    return { text, mark: kept.has(name) ? 'hour' : 'usual' };
  };
  return {
    system: parts.systemContent === '' ? undefined : textOf('systemContent'),
    user: (['projectContext', 'streamContext', 'taskContent'] as const)
      .filter((name) => parts[name] !== '')
      .map(textOf),
  };
}
