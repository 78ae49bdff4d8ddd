// Whether a file or folder name fits one segment of a glob. On a mismatch only the last star takes
// more, which is enough and keeps the work within the product of both lengths.
import type { Segment } from '../patterns/segment.ts';

type NameSegment = Exclude<Segment, { kind: 'globstar' }>;
type Token = Extract<Segment, { kind: 'wild' }>['tokens'][number];

function accepts(token: Token, code: number): boolean {
  if (token.kind === 'char') return token.code === code;
  if (token.kind !== 'set') return true;
  const inside = token.ranges.some(([low, high]) => code >= low && code <= high);
  return inside !== token.negated;
}

function tokensMatch(tokens: readonly Token[], name: string): boolean {
  let at = 0;
  let starAt = -1;
  let starEnd = 0;
  for (let i = 0; i < name.length;) {
    const token = tokens[at];
    if (token?.kind === 'star') {
      starAt = at++;
      starEnd = i;
    } else if (token !== undefined && accepts(token, name.charCodeAt(i))) {
      at++;
      i++;
    } else if (starAt >= 0) {
      at = starAt + 1;
      i = ++starEnd;
    } else return false;
  }
  while (tokens[at]?.kind === 'star') at++;
  return at === tokens.length;
}

export function nameMatches(segment: NameSegment, name: string): boolean {
  return segment.kind === 'literal' ? segment.text === name : tokensMatch(segment.tokens, name);
}
