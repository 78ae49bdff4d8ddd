// Colours of a text as numbers, four for each piece: its line, where it begins and ends in it, and which colour. So they pass
// from the worker to the page without being copied.
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';
import type { Parser } from '@lezer/common';

/** The classes are numbers of colours: what shows a text has a list of them. */
const HIGHLIGHTER = tagHighlighter([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], class: '0' },
  { tag: [tags.bool, tags.null, tags.self, tags.tagName, tags.heading], class: '0' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.link, tags.url], class: '1' },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], class: '2' },
  { tag: [tags.number, tags.typeName, tags.className, tags.attributeName], class: '3' },
  { tag: [tags.definition(tags.propertyName), tags.function(tags.variableName)], class: '3' },
]);

/** Longer ones, and those with such lines, are shown in one colour: they are made by programs. */
const MAX_TEXT = 500_000;
const MAX_LINE = 5000;

export function coloursOf(parser: Parser, text: string): Uint32Array<ArrayBuffer> {
  if (text.length > MAX_TEXT) return new Uint32Array();
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const longest = starts.reduce((most, start, line) => {
    return Math.max(most, (starts[line + 1] ?? text.length) - start);
  }, 0);
  if (longest > MAX_LINE) return new Uint32Array();
  const pieces: number[] = [];
  let line = 0;
  highlightTree(parser.parse(text), HIGHLIGHTER, (from, to, look) => {
    while (line + 1 < starts.length && starts[line + 1]! <= from) line += 1;
    // A piece may go over several lines.
    for (let at = line; at < starts.length && starts[at]! < to; at++) {
      const start = starts[at]!;
      const end = (starts[at + 1] ?? text.length + 1) - 1;
      const [first, last] = [Math.max(from, start) - start, Math.min(to, end) - start];
      if (last > first) pieces.push(at + 1, first, last, Number(look.split(' ', 1)[0]));
    }
  });
  return Uint32Array.from(pieces);
}
