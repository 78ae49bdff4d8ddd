// A command as it will be run, for the person who decides whether it may be. Nothing in it can hide:
// every line is shown as a line, and what a terminal does not show, or acts upon, is spelled out.

const LONG_GAP = / {21,}/g;
/** Empty lines could push the rest off the screen. */
const MANY_EMPTY = /(?:\n[ \t]*){4,}\n/g;

function spelled(character: string): string {
  const code = character.codePointAt(0)!;
  // The pictures that Unicode has for the old control characters, such as one for escape.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** Lines to print; those after the first begin as a shell shows the rest of a command. */
export function visibleCommand(command: string): string[] {
  return command
    .replace(MANY_EMPTY, (gap) => `\n<${gap.split('\n').length - 2} empty lines>\n`)
    .replace(LONG_GAP, (gap) => ` <${gap.length} spaces> `)
    .split('\n')
    .map((line) => line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu, spelled))
    .map((line, index) => `${index === 0 ? '$' : '>'} ${line}`);
}
