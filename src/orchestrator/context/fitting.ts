// How much of a file is shown: all of it, its outline or its beginning.
import { estimateTokenCount } from 'tokenx';
import { beginningOf } from '../../domain/prompt/beginning.ts';
import type { ContextFile, ContextRole } from '../../domain/run/context-files.ts';
import { outlineOf } from '../../project/outline/outline.ts';
import type { ReadFile } from '../../project/project-file.ts';

/** Of the room, what one file may take that nobody asked for. */
const SHARE_OF_ONE = 0.15;
/** The same of a package file, of which the beginning or the outline says most. */
const MOST_OF_PACKAGE = 1000;
export const MIN_TOKENS = 50;

export function isAskedFor(role: ContextRole): boolean {
  return role === 'owned' || role === 'read' || role === 'named';
}

type Text = Extract<ReadFile, { kind: 'text' }>;

/** What does not depend on the room; for as long as the text is kept. */
interface Measured {
  tokens: number;
  nameTokens: number;
  /** Null when it has none. */
  outline?: { text: string; tokens: number } | null;
}

/** As much of a file as the room allows. */
export type Fit = (
  file: Text,
  role: ContextRole,
  room: { left: number; all: number },
) => ContextFile | undefined;

export function createFitting(): Fit {
  const measured = new WeakMap<Text, Measured>();

  function measure(file: Text): Measured {
    let known = measured.get(file);
    if (known === undefined) {
      const nameTokens = estimateTokenCount(file.path);
      known = { tokens: estimateTokenCount(file.text) + nameTokens, nameTokens };
      measured.set(file, known);
    }
    return known;
  }

  function outlineIn(file: Text, known: Measured): Measured['outline'] {
    if (known.outline === undefined) {
      const text = outlineOf(file.path, file.text);
      const tokens = text === undefined ? 0 : estimateTokenCount(text) + known.nameTokens;
      known.outline = text === undefined ? null : { text, tokens };
    }
    return known.outline;
  }

  return (file, role, room) => {
    const most = role === 'package' ? MOST_OF_PACKAGE : Infinity;
    const share = isAskedFor(role) ? room.left : room.all * SHARE_OF_ONE;
    const limit = Math.min(room.left, share, most);
    const { path, sha256 } = file;
    const known = measure(file);
    const { nameTokens, tokens } = known;
    if (tokens <= limit) return { path, role, text: file.text, sha256, included: 'full', tokens };
    if (limit < MIN_TOKENS) return undefined;
    const outline = outlineIn(file, known);
    if (outline && outline.tokens <= limit) {
      return { path, role, ...outline, sha256, included: 'outline' };
    }
    const head = beginningOf(file.text, Math.floor(limit) - nameTokens);
    const headTokens = estimateTokenCount(head) + nameTokens;
    if (head === '' || headTokens > limit) return undefined;
    return { path, role, text: head, sha256, included: 'head', tokens: headTokens };
  };
}
