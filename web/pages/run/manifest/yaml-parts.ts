// The colours of a line of YAML. Good enough to read by: the editor, which is large, knows the language better.
export type PartKind = 'key' | 'value' | 'literal' | 'comment' | 'mark';

export interface YamlPart {
  kind: PartKind;
  text: string;
}

const LITERAL = /^(?:true|false|null|~|-?\d[\d_.eE+-]*)$/;

/** A `#` after a space begins a comment, unless it is in quotes. */
function commentAt(text: string): number {
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '#' && (at === 0 || text[at - 1] === ' ')) return at;
  }
  return text.length;
}

/** Key and colon at the start of a text, or the whole of it as a value. */
function keyLength(text: string): number {
  const colon = text.indexOf(':');
  if (colon <= 0 || !(colon === text.length - 1 || text[colon + 1] === ' ')) return 0;
  return text.includes(' ') && text.indexOf(' ') < colon ? 0 : colon;
}

export function yamlParts(line: string): YamlPart[] {
  const end = commentAt(line);
  const comment = line.slice(end);
  let rest = line.slice(0, end);
  const parts: YamlPart[] = [];
  const push = (kind: PartKind, text: string) => {
    if (text !== '') parts.push({ kind, text });
    rest = rest.slice(text.length);
  };
  const content = rest.trimStart();
  push('mark', rest.slice(0, rest.length - content.length));
  while (rest.startsWith('- ')) push('mark', '- ');
  const key = keyLength(rest.trimEnd());
  if (key > 0) {
    push('key', rest.slice(0, key));
    push('mark', ':');
  }
  push(LITERAL.test(rest.trim()) ? 'literal' : 'value', rest);
  rest = comment;
  push('comment', comment);
  return parts;
}
