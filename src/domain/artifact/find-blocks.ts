import type { EditsBlock, readEditsBlock } from './edits-block.ts';
import { endOfLine, findFences, type Fences } from './fences.ts';

export type ArtifactBlock =
  | { kind: 'json'; body: string }
  | { kind: 'edits'; block: EditsBlock }
  | { kind: 'unclosed' };

/** Reads plain-text edits; left out where they are not needed, because it is not small. */
export type EditsReader = typeof readEditsBlock;

const LABELS = new Map([
  ['millrace-artifact', 'json'],
  ['service-artifact', 'json'],
  ['millrace-edits', 'edits'],
] as const);

/**
 * Every labelled block of a text, in order. A block quoted inside another fenced block is not one:
 * the model shows it, it does not hand it in. But quoting takes a longer or another fence around it;
 * when the fence around is no longer than the label's own, that one was left open by mistake.
 */
export function findBlocks(text: string, readEdits?: EditsReader): ArtifactBlock[] {
  if (!mentionsLabel(text)) return [];
  const fences = findFences(text);
  const blocks: ArtifactBlock[] = [];
  let quotedBy = -1;
  let fence = 0;
  while (fence < fences.count) {
    const closer = fences.closerOf(fence);
    if (quotedBy >= 0 && fence === fences.closerOf(quotedBy)) {
      quotedBy = -1;
      fence++;
      continue;
    }
    const named = formOf(fences, fence);
    const form = named === 'edits' && !readEdits ? undefined : named;
    if (form === undefined || (quotedBy >= 0 && !outdoes(fences, fence, quotedBy))) {
      if (quotedBy < 0 && closer >= 0 && fences.infoOf(fence) !== undefined) quotedBy = fence;
      fence++;
      continue;
    }
    quotedBy = -1;
    if (form === 'edits' && readEdits) {
      const block = readEdits(text, fences, fence);
      blocks.push({ kind: 'edits', block });
      fence = Math.max(fence + 1, fences.firstFrom(block.next));
      continue;
    }
    const again = nextLabelled(fences, fence + 1, closer < 0 ? fences.count : closer);
    if (closer < 0 || again >= 0) {
      blocks.push({ kind: 'unclosed' });
      fence = again >= 0 ? again : fences.count;
      continue;
    }
    const from = endOfLine(text, fences.startOf(fence)) + 1;
    blocks.push({ kind: 'json', body: text.slice(from, fences.startOf(closer)) });
    fence = closer + 1;
  }
  return blocks;
}

export function mentionsLabel(text: string): boolean {
  // Labels are matched in any case, and so is this quick way out.
  return /(?:millrace|service)-artifact|millrace-edits/i.test(text);
}

function formOf(fences: Fences, fence: number): 'json' | 'edits' | undefined {
  const label = /^[\w-]+/.exec(fences.infoOf(fence) ?? '')?.[0].toLowerCase();
  return (LABELS as ReadonlyMap<string | undefined, 'json' | 'edits'>).get(label);
}

function outdoes(fences: Fences, fence: number, outer: number): boolean {
  return (
    fences.markerOf(fence) === fences.markerOf(outer) &&
    fences.lengthOf(fence) >= fences.lengthOf(outer)
  );
}

/** JSON never has a fence line in it, so a labelled one before the end means the first was cut. */
function nextLabelled(fences: Fences, from: number, to: number): number {
  for (let fence = from; fence < to; fence++) {
    if (formOf(fences, fence) !== undefined) return fence;
  }
  return -1;
}
