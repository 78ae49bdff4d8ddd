// What the prompt shows of the files that exist. The forms are those of `domain/prompt`.
import { NO_NEWLINE } from '../../domain/artifact/edits-block.ts';
import { endOfLine, findFences } from '../../domain/artifact/fences.ts';

/** The whole text, or undefined where the prompt has a part of it or only its name. */
export type ShownText = string | undefined;

const PARTS = / (?:outline|beginning)$/;
const NO_SUCH_FILE = 'There is no such file.';
const NOT_SHOWN = /^These files exist but are not shown:\n((?:- .+(?:\n|$))+)/gm;

/** Each file by a line `File: PATH` with a fence below; what was shown last counts. */
export function shownFiles(prompt: string): Map<string, ShownText> {
  const fences = findFences(prompt);
  const files = notShown(prompt);
  let blockEnd = 0;
  for (const { index, 0: line, 1: name = '' } of prompt.matchAll(/^File: (.+)$/gm)) {
    // Such lines in the text of a file are not about files of the project.
    if (index < blockEnd) continue;
    const path = name.trim();
    const start = index + line.length + 1;
    const fence = fences.firstFrom(start);
    const closer = fence < fences.count ? fences.closerOf(fence) : -1;
    if (closer < 0 || fences.startOf(fence) !== start) {
      if (prompt.startsWith(NO_SUCH_FILE, start)) files.delete(path);
      else if (!files.has(path)) files.set(path, undefined);
      continue;
    }
    blockEnd = endOfLine(prompt, fences.startOf(closer)) + 1;
    if (PARTS.test(fences.infoOf(fence) ?? '')) {
      files.set(path, undefined);
      continue;
    }
    const text = prompt.slice(endOfLine(prompt, start) + 1, fences.startOf(closer));
    files.set(path, prompt.startsWith(NO_NEWLINE, blockEnd) ? text.slice(0, -1) : text);
  }
  return files;
}

function notShown(prompt: string): Map<string, ShownText> {
  const files = new Map<string, ShownText>();
  for (const [, lines = ''] of prompt.matchAll(NOT_SHOWN)) {
    for (const [, path = ''] of lines.matchAll(/^- (.+?): /gm)) files.set(path, undefined);
  }
  return files;
}
