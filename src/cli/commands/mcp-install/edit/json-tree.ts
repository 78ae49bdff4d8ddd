// JSON, with the comments and trailing commas that editors allow, as a tree with places.
import { createScanner, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError, SyntaxKind } from 'jsonc-parser';
import { ConfigSyntaxError, locationOf } from './config-edit.ts';

// The package has names for these only where a whole program is compiled at once.
const COMMA: SyntaxKind.CommaToken = 5;
const LINE_COMMENT: SyntaxKind.LineCommentTrivia = 12;
const BLOCK_COMMENT: SyntaxKind.BlockCommentTrivia = 13;
const BLANKS: SyntaxKind.Trivia = 15;

export interface Property {
  name: string;
  /** From the quote of its name to the end of its value. */
  start: number;
  end: number;
  value: Node;
}

function problem(source: string, offset: number, text: string): ConfigSyntaxError {
  return new ConfigSyntaxError(text, locationOf(source, offset));
}

/** "CloseBraceExpected" as words. */
function words(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();
}

function parse(source: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(source, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (error) {
    // The parser calls itself for each level.
    if (error instanceof RangeError) throw problem(source, 0, 'nested too deeply');
    throw error;
  }
}

/** Undefined when there is nothing but blanks and comments. */
export function readObject(source: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parse(source, errors);
  const [first] = errors;
  if (first) throw problem(source, first.offset, words(printParseErrorCode(first.error)));
  if (root !== undefined && root.type !== 'object') {
    throw problem(source, root.offset, 'expected an object');
  }
  return root;
}

export function propertiesOf(object: Node): Property[] {
  return (object.children ?? []).map((property) => ({
    name: String(property.children?.[0]?.value),
    start: property.offset,
    end: property.offset + property.length,
    value: property.children![1]!,
  }));
}

/** Programs read the last of two properties with one name, people the first: neither is touched. */
export function propertyOf(source: string, object: Node, name: string): Property | undefined {
  const [first, second] = propertiesOf(object).filter((each) => each.name === name);
  if (second) throw problem(source, second.start, `"${name}" is here a second time`);
  return first;
}

export function objectIn(source: string, property: Property): Node {
  if (property.value.type === 'object') return property.value;
  throw problem(source, property.value.offset, `"${property.name}" is not an object`);
}

/** Where the comma behind a value ends, if there is one. */
export function endOfComma(source: string, from: number): number | undefined {
  const scanner = createScanner(source, true);
  scanner.setPosition(from);
  if (scanner.scan() !== COMMA) return undefined;
  return scanner.getTokenOffset() + 1;
}

/** Where the last comment ends that begins on the rest of this line; else `from`. */
export function endOfComments(source: string, from: number): number {
  const scanner = createScanner(source, false);
  scanner.setPosition(from);
  let end = from;
  for (;;) {
    const kind = scanner.scan();
    const isComment = kind === LINE_COMMENT || kind === BLOCK_COMMENT;
    if (!isComment && kind !== BLANKS) return end;
    if (isComment) end = scanner.getTokenOffset() + scanner.getTokenLength();
  }
}
