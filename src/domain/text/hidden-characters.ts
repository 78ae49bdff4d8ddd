// Text of others as it is: what cannot be seen, or turns the direction of what follows, is named instead of shown.

export interface TextPart {
  text: string;
  /** `text` is the name of a character that is not shown. */
  isHidden: boolean;
}

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

const nameOf = (character: string) =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Tabs and line breaks are what they are. */
export function textParts(text: string): TextPart[] {
  if (!HIDDEN.test(text)) return text === '' ? [] : [{ text, isHidden: false }];
  const parts: TextPart[] = [];
  let plain = '';
  for (const character of text) {
    if (character === '\t' || character === '\n' || !HIDDEN.test(character)) {
      plain += character;
      continue;
    }
    if (plain !== '') parts.push({ text: plain, isHidden: false });
    parts.push({ text: nameOf(character), isHidden: true });
    plain = '';
  }
  if (plain !== '') parts.push({ text: plain, isHidden: false });
  return parts;
}
