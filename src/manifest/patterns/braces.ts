// `{a,b}` means two patterns. Expanded up front, and only so far: nested braces multiply.

const MAX_EXPANSIONS = 1024;

/** Undefined when there would be too many. */
export function expandBraces(pattern: string): string[] | undefined {
  let open = [pattern];
  const done: string[] = [];
  while (open.length > 0) {
    const next: string[] = [];
    for (const text of open) {
      const alternatives = expandFirst(text);
      if (alternatives === undefined) done.push(text);
      else next.push(...alternatives);
      if (done.length + next.length > MAX_EXPANSIONS) return undefined;
    }
    open = next;
  }
  return done;
}

/** The alternatives of the first complete group; undefined when there is none. */
function expandFirst(text: string): string[] | undefined {
  let depth = 0;
  let start = 0;
  let commas: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '[') {
      const end = text.indexOf(']', i + 2);
      if (end > 0) i = end;
    } else if (char === '{') {
      if (depth++ === 0) {
        start = i;
        commas = [];
      }
    } else if (char === ',' && depth === 1) commas.push(i);
    else if (char === '}' && depth > 0 && --depth === 0 && commas.length > 0) {
      const cuts = [start, ...commas, i];
      const before = text.slice(0, start);
      const after = text.slice(i + 1);
      return cuts.slice(1).map((cut, at) => before + text.slice(cuts[at]! + 1, cut) + after);
    }
  }
  return undefined;
}
