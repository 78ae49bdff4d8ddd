// The answer of a call as the server writes it: text, and each call of a tool on a line of its own, as `[name] {json}`.

export type AnswerPart =
  | { kind: 'text'; text: string }
  /** `input` is JSON, as far as it has come. */
  | { kind: 'tool'; name: string; input: string };

const TOOL = /(?:^|\n)\[([A-Za-z0-9_.:/-]{1,128})\] (?=\{|$)/g;

/** Where the object that begins here ends; the end of the text while it has not come whole. */
function endOfObject(text: string, from: number): number {
  let depth = 0;
  let isString = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (isString) {
      if (char === '\\') at += 1;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

export function answerParts(answer: string): AnswerPart[] {
  const parts: AnswerPart[] = [];
  const addText = (text: string) => {
    if (text.trim() !== '') parts.push({ kind: 'text', text });
  };
  let done = 0;
  TOOL.lastIndex = 0;
  for (let found = TOOL.exec(answer); found !== null; found = TOOL.exec(answer)) {
    addText(answer.slice(done, found.index));
    const from = found.index + found[0].length;
    done = endOfObject(answer, from);
    parts.push({ kind: 'tool', name: found[1]!, input: answer.slice(from, done) });
    TOOL.lastIndex = Math.max(done, from);
    if (from === answer.length) break;
  }
  addText(answer.slice(done));
  return parts;
}

/** Indented where it is whole. */
export function readable(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
