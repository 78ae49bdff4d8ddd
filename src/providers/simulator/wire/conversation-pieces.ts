// A conversation as the simulator counts, caches and recognizes it.
import { createHash } from 'node:crypto';
import type { PromptPiece } from '../prefix-cache.ts';
import type { Conversation } from './conversation.ts';

/** What an image counts for: about one of half a megapixel. */
const IMAGE_TOKENS = 700;

/** The same for the same conversation: what the user said before counts, and so do answers to calls. */
export function digestOf({ model, system, turns }: Conversation): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([model, system, turns]))
    .digest();
}

export function piecesOf(asked: Conversation): PromptPiece[] {
  const { system, tools, turns, keeps } = asked;
  const head = tools.length === 0 ? system : `${JSON.stringify(tools)}\n${system}`;
  const keepsAll = keeps === 'all';
  const pieces = turns.map(({ text, data, images, isMarked }) => ({
    text: `${text}\n${data}`.trim(),
    moreTokens: images * IMAGE_TOKENS,
    isKept: keepsAll || isMarked,
  }));
  return [{ text: head, isKept: keepsAll || asked.isSystemMarked }, ...pieces];
}
