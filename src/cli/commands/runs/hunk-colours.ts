// The lines of a hunk as they are shown: with the colours of the language that the file is in, where the terminal has some.
import { languageOf } from '../../../domain/highlight/endings.ts';
import { newRangeOf, textAfter, textBefore } from '../../../orchestrator/index.ts';
import type { Hunk, ReviewedFile } from '../../../orchestrator/index.ts';
import { wantsColor } from '../../terminal/color.ts';
import { colourDiff } from '../../terminal/diff-colours.ts';
import { styledNote } from '../../terminal/output.ts';
import { colourLine, depthOf } from '../../terminal/syntax-colours.ts';
import type { Depth, Piece } from '../../terminal/syntax-colours.ts';

type Lines = ReadonlyMap<number, readonly Piece[]>;

const NONE: readonly Piece[] = [];

function linesOf(colours: Uint32Array): Lines {
  const lines = new Map<number, Piece[]>();
  for (let at = 0; at < colours.length; at += 4) {
    const [line, from, to, look] = colours.subarray(at, at + 4);
    const piece = { from: from!, to: to!, look: look! };
    const own = lines.get(line!);
    if (own === undefined) lines.set(line!, [piece]);
    else own.push(piece);
  }
  return lines;
}

interface Sides {
  old: Lines;
  new: Lines;
}

/** Undefined where one colour is all that there is: it is enough to read the lines. */
async function sidesOf(file: ReviewedFile): Promise<Sides | undefined> {
  const language = languageOf(file.change.path);
  if (language === undefined) return undefined;
  try {
    // Loaded for the first file that needs it: no other command waits for it.
    const [{ coloursOf }, { loadParser }] = await Promise.all([
      import('../../../domain/highlight/colours.ts'),
      import('../../../domain/highlight/parsers.ts'),
    ]);
    const parser = await loadParser(language);
    const of = (text: string) => linesOf(coloursOf(parser, text));
    return { old: of(textBefore(file)), new: of(textAfter(file)) };
  } catch {
    return undefined;
  }
}

function colourHunk(hunk: Hunk, sides: Sides, depth: Depth): string {
  if (hunk.kind !== 'lines') return colourDiff(hunk.lines.join('\n'), styledNote);
  // Of the next line on each side, counted from 1.
  let [old, fresh] = [hunk.from + 1, newRangeOf(hunk).from + 1];
  const [head = '', ...lines] = hunk.lines;
  const shown = lines.map((line) => {
    const sign = line[0];
    if (sign !== ' ' && sign !== '+' && sign !== '-') return colourDiff(line, styledNote);
    const pieces = sign === '-' ? sides.old.get(old) : sides.new.get(fresh);
    if (sign !== '+') old += 1;
    if (sign !== '-') fresh += 1;
    return colourLine(line, pieces ?? NONE, depth);
  });
  return [colourDiff(head, styledNote), ...shown].join('\n');
}

export interface HunkColours {
  show(hunk: Hunk): string;
}

export async function coloursOfFile(file: ReviewedFile): Promise<HunkColours> {
  const sides = wantsColor(process.env, process.stderr) ? await sidesOf(file) : undefined;
  const depth = depthOf(process.env);
  return {
    show: (hunk) =>
      sides === undefined
        ? colourDiff(hunk.lines.join('\n'), styledNote)
        : colourHunk(hunk, sides, depth),
  };
}
