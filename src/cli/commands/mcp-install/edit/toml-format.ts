// One table of a TOML file, changed by a splice of whole lines.
import { ParseError, getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import type { AST } from 'toml-eslint-parser';
import { ConfigSyntaxError, locationOf } from './config-edit.ts';
import type { Splice } from '../../../../manifest/edit/splice.ts';
import type { ConfigFormat, Entry, EntryPath } from './config-edit.ts';
import { afterLineBreak, isLineBreak, lineBreakOf, lineEnd, lineStart } from './lines.ts';

/** Lines that say something about the entry. */
interface Part {
  kind: 'table' | 'pair';
  start: number;
  end: number;
}

type Values = Record<string, unknown>;

function parse(source: string): AST.TOMLProgram {
  try {
    return parseTOML(source);
  } catch (error) {
    if (error instanceof ParseError) {
      const place = { line: error.lineNumber, column: error.column + 1 };
      throw new ConfigSyntaxError(error.message, place);
    }
    // The parser calls itself for each level.
    if (error instanceof RangeError) {
      throw new ConfigSyntaxError('nested too deeply', { line: 1, column: 1 });
    }
    throw error;
  }
}

function namesOf({ keys }: AST.TOMLKey): string[] {
  return keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));
}

function isBelow(path: readonly (string | number)[], [container, name]: EntryPath): boolean {
  return path[0] === container && path[1] === name;
}

/** Values in braces cannot be added to by a table further down. */
function refuseBraces(source: string, pair: AST.TOMLKeyValue, container: string): void {
  throw new ConfigSyntaxError(
    `"${container}" is not made of tables such as [${container}.name]`,
    locationOf(source, pair.range[0]),
  );
}

function linesOf(source: string, kind: Part['kind'], [start, end]: AST.Range): Part {
  const lineTo = afterLineBreak(source, lineEnd(source, end));
  return { kind, start: lineStart(source, start), end: lineTo };
}

function partsOf(source: string, program: AST.TOMLProgram, path: EntryPath): Part[] {
  const [container] = path;
  const parts: Part[] = [];
  const lookAt = (pair: AST.TOMLKeyValue, table: readonly (string | number)[]) => {
    const names = [...table, ...namesOf(pair.key)];
    if (isBelow(names, path)) parts.push(linesOf(source, 'pair', pair.range));
    else if (names.length === 1 && names[0] === container) refuseBraces(source, pair, container);
  };
  for (const each of program.body[0].body) {
    if (each.type === 'TOMLKeyValue') lookAt(each, []);
    else if (each.resolvedKey[0] === container && typeof each.resolvedKey[1] === 'number') {
      const problem = `"${container}" is a list, not a table`;
      throw new ConfigSyntaxError(problem, locationOf(source, each.range[0]));
    } else if (isBelow(each.resolvedKey, path)) parts.push(linesOf(source, 'table', each.range));
    else for (const pair of each.body) lookAt(pair, each.resolvedKey);
  }
  return parts;
}

function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  return typeof value === 'string' ? quoted(value) : String(value);
}

function isTable(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const keyOf = (name: string): string => (/^[A-Za-z0-9_-]+$/.test(name) ? name : quoted(name));

function tableLines(path: readonly string[], entry: Entry): string[] {
  const values = Object.entries(entry).filter(([, value]) => !isTable(value));
  const tables = Object.entries(entry).filter(([, value]) => isTable(value));
  const below = tables.map(([name, value]) => tableLines([...path, name], value as Entry));
  // A table of tables needs no header of its own.
  if (values.length === 0 && below.length > 0)
    return below.flatMap((each, at) => (at === 0 ? each : ['', ...each]));
  return [
    `[${path.map(keyOf).join('.')}]`,
    ...values.map(([name, value]) => `${keyOf(name)} = ${written(value)}`),
    ...below.flatMap((each) => ['', ...each]),
  ];
}

function document(path: EntryPath, entry: Entry): string {
  return `${tableLines(path, entry).join('\n')}\n`;
}

/** A blank line in front of it goes too, where another one or the end follows. */
function removal(source: string, { start, end }: Part): Splice {
  const isFollowedByBlank = end >= source.length || isLineBreak(source[end]);
  const lineBefore = lineStart(source, Math.max(0, start - lineBreakOf(source).length));
  const isBlankBefore = lineBefore < start && source.slice(lineBefore, start).trim() === '';
  return { start: isFollowedByBlank && isBlankBefore ? lineBefore : start, end, text: '' };
}

function remove(source: string, path: EntryPath): Splice[] {
  return merged(partsOf(source, parse(source), path).map((part) => removal(source, part)));
}

/** Parts that touch become one. */
function merged(edits: readonly Splice[]): Splice[] {
  const result: Splice[] = [];
  for (const edit of edits) {
    const last = result.at(-1);
    if (last && edit.start <= last.end) last.end = Math.max(last.end, edit.end);
    else result.push({ ...edit });
  }
  return result;
}

function appended(source: string, text: string): Splice {
  const lineBreak = lineBreakOf(source);
  const isEnded = source === '' || isLineBreak(source.at(-1));
  const before = (isEnded ? '' : lineBreak) + (source === '' ? '' : lineBreak);
  return { start: source.length, end: source.length, text: before + text };
}

function set(source: string, path: EntryPath, entry: Entry): Splice[] {
  const parts = partsOf(source, parse(source), path);
  const text = document(path, entry).replaceAll('\n', lineBreakOf(source));
  const [first, ...others] = parts;
  if (first === undefined) return [appended(source, text)];
  // A header takes in every pair below it, so a table takes the place of tables only.
  if (first.kind === 'table') {
    const { start, end } = first;
    return [{ start, end, text }, ...merged(others.map((part) => removal(source, part)))];
  }
  const removed = merged(parts.map((part) => removal(source, part)));
  return [...removed, appended(source, text)];
}

function valueOf(source: string): Values {
  return getStaticTOMLValue(parse(source));
}

function find(source: string, path: EntryPath): unknown {
  const [container, name] = path;
  if (partsOf(source, parse(source), path).length === 0) return undefined;
  return (valueOf(source)[container] as Values)[name];
}

export const TOML_FORMAT: ConfigFormat = { find, set, remove, document, valueOf };
