// JSON, a value a line, as it comes from a program that may print anything else between.
import { StringDecoder } from 'node:string_decoder';

export interface JsonLineReader {
  add(bytes: Buffer): void;
  end(): void;
}

export interface LineHandlers {
  onValue(value: object): void;
  /** A line that is no JSON object. */
  onText(line: string): void;
  /** Longer than the most; it is not kept. */
  onTooLong(): void;
}

export const LONGEST_LINE = 16 * 1024 * 1024;

export function createJsonLines(handlers: LineHandlers, longest = LONGEST_LINE): JsonLineReader {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let length = 0;
  let isTooLong = false;

  function keep(piece: string): void {
    if (isTooLong) return;
    length += piece.length;
    if (length > longest) {
      isTooLong = true;
      pieces = [];
      handlers.onTooLong();
    } else if (piece !== '') pieces.push(piece);
  }
  function endLine(): void {
    const line = pieces.join('').trim();
    const isKept = !isTooLong;
    pieces = [];
    length = 0;
    isTooLong = false;
    if (!isKept || line === '') return;
    const value = objectIn(line);
    if (value === undefined) handlers.onText(line);
    else handlers.onValue(value);
  }
  function addText(text: string): void {
    const lines = text.split('\n');
    lines.forEach((piece, index) => {
      keep(piece);
      if (index < lines.length - 1) endLine();
    });
  }
  return {
    add: (bytes) => addText(decoder.write(bytes)),
    end() {
      addText(decoder.end());
      endLine();
    },
  };
}

function objectIn(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
