// One path segment of a pattern, and whether two of them can match the same name. Both are small
// automata over characters; a name that both accept is a path through their product.

type Token =
  | { kind: 'char'; code: number }
  | { kind: 'any' }
  | { kind: 'star' }
  | { kind: 'set'; negated: boolean; ranges: [number, number][] };

export type Segment =
  | { kind: 'literal'; text: string }
  /** `**`: any number of segments. */
  | { kind: 'globstar' }
  | { kind: 'wild'; tokens: Token[] };

const SLASH = 47;

function readSet(text: string, start: number): { token: Token; end: number } | undefined {
  const negated = text[start + 1] === '!' || text[start + 1] === '^';
  const from = start + (negated ? 2 : 1);
  // A bracket right at the start stands for itself.
  const end = text.indexOf(']', from + 1);
  if (end < 0) return undefined;
  const ranges: [number, number][] = [];
  for (let i = from; i < end; i++) {
    const isRange = text[i + 1] === '-' && i + 2 < end;
    ranges.push([text.charCodeAt(i), text.charCodeAt(isRange ? i + 2 : i)]);
    if (isRange) i += 2;
  }
  return { token: { kind: 'set', negated, ranges }, end };
}

export function readSegment(text: string): Segment {
  if (text === '**') return { kind: 'globstar' };
  if (!/[*?[]/.test(text)) return { kind: 'literal', text };
  const tokens: Token[] = [];
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
      continue;
    }
    if (char === '?') {
      tokens.push({ kind: 'any' });
      continue;
    }
    const set = char === '[' ? readSet(text, i) : undefined;
    if (set) {
      tokens.push(set.token);
      i = set.end;
    } else tokens.push({ kind: 'char', code: text.charCodeAt(i) });
  }
  return { kind: 'wild', tokens };
}

function accepts(token: Token, code: number): boolean {
  if (code === SLASH) return false;
  if (token.kind === 'char') return token.code === code;
  if (token.kind !== 'set') return true;
  const inside = token.ranges.some(([low, high]) => code >= low && code <= high);
  return inside !== token.negated;
}

/** Characters worth trying for a pair of tokens: the edges of every range, and one outside them. */
function candidates(token: Token): number[] {
  if (token.kind === 'char') return [token.code];
  if (token.kind !== 'set') return [];
  return token.ranges.flatMap(([low, high]) => [low - 1, low, high, high + 1]);
}

const ALWAYS = [0x20, 0x61, 0xfffd];

function shareCharacter(a: Token, b: Token): boolean {
  const tried = [...candidates(a), ...candidates(b), ...ALWAYS];
  return tried.some((code) => code >= 0 && code <= 0xffff && accepts(a, code) && accepts(b, code));
}

/** Two that begin, or end, with different characters of their own: most pairs do. */
function edgesDiffer(a: readonly Token[], b: readonly Token[]): boolean {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a[i]!;
    const y = b[i]!;
    if (x.kind !== 'char' || y.kind !== 'char') break;
    if (x.code !== y.code) return true;
  }
  for (let i = 1; i <= length; i++) {
    const x = a[a.length - i]!;
    const y = b[b.length - i]!;
    if (x.kind !== 'char' || y.kind !== 'char') break;
    if (x.code !== y.code) return true;
  }
  return false;
}

/** Whether a name is one of those that a wild segment stands for; goes back to the last star only. */
function matches(tokens: readonly Token[], name: string): boolean {
  let at = 0;
  let starAt = -1;
  let starTook = 0;
  let i = 0;
  while (i < name.length) {
    const token = tokens[at];
    if (token?.kind === 'star') {
      starAt = at++;
      starTook = i;
    } else if (token !== undefined && accepts(token, name.charCodeAt(i))) {
      at += 1;
      i += 1;
    } else if (starAt >= 0) {
      at = starAt + 1;
      i = ++starTook;
    } else return false;
  }
  while (tokens[at]?.kind === 'star') at += 1;
  return at === tokens.length;
}

/** Whether one file or folder name fits a segment. */
export function nameMatches(
  segment: Exclude<Segment, { kind: 'globstar' }>,
  name: string,
): boolean {
  return segment.kind === 'literal' ? segment.text === name : matches(segment.tokens, name);
}

export function segmentsOverlap(
  a: Exclude<Segment, { kind: 'globstar' }>,
  b: Exclude<Segment, { kind: 'globstar' }>,
): boolean {
  if (a.kind === 'literal') return nameMatches(b, a.text);
  if (b.kind === 'literal') return nameMatches(a, b.text);
  if (edgesDiffer(a.tokens, b.tokens)) return false;
  const left = a.tokens;
  const right = b.tokens;
  const width = right.length + 1;
  const reached = new Uint8Array((left.length + 1) * width);
  reached[0] = 1;
  for (let i = 0; i <= left.length; i++) {
    for (let j = 0; j <= right.length; j++) {
      if (!reached[i * width + j]) continue;
      const x = left[i];
      const y = right[j];
      // A star may end here, or take whatever the other side asks for.
      if (x?.kind === 'star') reached[(i + 1) * width + j] = 1;
      if (y?.kind === 'star') reached[i * width + j + 1] = 1;
      if (x === undefined || y === undefined || !shareCharacter(x, y)) continue;
      const nextX = x.kind === 'star' ? i : i + 1;
      const nextY = y.kind === 'star' ? j : j + 1;
      if (nextX !== i || nextY !== j) reached[nextX * width + nextY] = 1;
    }
  }
  return reached[left.length * width + right.length] === 1;
}
