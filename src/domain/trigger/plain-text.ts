// Text of strangers as plain text: without escape sequences, control characters and what cannot be seen.

// oxlint-disable-next-line no-control-regex -- sequences begin with this character
const SEQUENCE = /\u001b\[[0-9;?]*[@-~]/g;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

export const LONGEST_VALUE = 20_000;

/** Line breaks and tabs stay. */
export function plainText(text: string, longest = LONGEST_VALUE): string {
  const lines = text
    .slice(0, 2 * longest)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(SEQUENCE, '');
  const plain = lines.replaceAll(HIDDEN, (one) => (one === '\n' || one === '\t' ? one : ''));
  return plain.slice(0, longest).toWellFormed();
}

export function plainLine(text: string, longest = 300): string {
  return plainText(text, longest).replaceAll(/\s+/g, ' ').trim();
}
