// The parser's reasons in words that help.
import type { Finding } from './problem-list.ts';

interface Explanation {
  reason: RegExp;
  code?: string;
  message: string;
  hint: string;
}

const INDENT_HINT = 'Indent entries of the same mapping or list equally, using spaces.';

const EXPLANATIONS: Explanation[] = [
  {
    reason: /^nesting exceeded/,
    code: 'TOO_DEEP',
    message: 'Mappings and lists are nested too deep here',
    hint: 'A manifest needs at most five levels; remove the extra brackets or indentation.',
  },
  {
    reason: /^tab characters/,
    message: 'This line is indented with a tab',
    hint: 'YAML does not allow tabs; indent with spaces.',
  },
  {
    reason: /^bad indentation of a mapping entry/,
    message: 'This does not fit the mapping around it',
    hint: `${INDENT_HINT} A text with ": " in it needs quotes.`,
  },
  {
    reason: /^bad indentation of a sequence entry/,
    message: 'This does not fit the list around it',
    hint: INDENT_HINT,
  },
  {
    reason: /^deficient indentation/,
    message: 'This line is not indented far enough to continue the value above',
    hint: 'Close the quote or bracket above, or indent this line further.',
  },
  {
    reason: /within a (?:single|double) quoted scalar/,
    message: 'A quote is not closed',
    hint: 'Add the closing quote.',
  },
  {
    reason: /within a flow collection/,
    message: 'A bracket is not closed',
    hint: 'Add the closing ] or }.',
  },
  {
    reason: /^missed comma/,
    message: 'A comma is missing between two entries',
    hint: 'Put a comma between them, or close the ] or } before.',
  },
  {
    reason: /^expected the node content, but found ','/,
    message: 'There is nothing before this comma',
    hint: 'Remove the comma.',
  },
  {
    reason: /multiline key/,
    message: 'A key is missing its ":" or spans several lines',
    hint: 'Write "key: value" on one line, or indent the line to continue the text above.',
  },
  {
    reason: /^expected ':' after a mapping key/,
    message: 'This key has no ":" after it',
    hint: 'Write "key: value".',
  },
  {
    reason: /key-value separator/,
    message: 'There is no space after the ":"',
    hint: 'Put a space after the ":", or quote the text.',
  },
  {
    reason: /^(?:unknown escape sequence|expected hexadecimal)/,
    message: 'This escape sequence does not exist',
    hint: 'Double the backslash, or use single quotes.',
  },
  {
    reason: /^end of the stream or a document separator/,
    message: 'Unexpected text after the value',
    hint: 'Check indentation, quotes and brackets on this line and the one above.',
  },
  {
    reason: /non-printable/,
    code: 'CONTROL_CHARACTER',
    message: 'The text contains a character that cannot be printed',
    hint: 'Remove it, or write it as an escape within double quotes.',
  },
  {
    reason: /^(?:repeat of|bad explicit indentation|a line break is expected)/,
    message: 'Unexpected text after | or >',
    hint: 'Write | or > alone (or |- and >-), and start the text on the next line.',
  },
  {
    reason: /^duplication of an? (?:anchor|tag)/,
    message: 'A value has two names (&) or two tags (!)',
    hint: 'Keep one of them; quote text that starts with "&" or "!".',
  },
  {
    reason: /alias node|anchor node|^name of an/,
    message: 'An & or * is not followed by a name',
    hint: 'Quote text that starts with & or *.',
  },
  {
    reason: /[Dd]irective|unacceptable YAML version/,
    message: 'Unknown YAML directive (a line that starts with %)',
    hint: 'Remove the line; a manifest needs no directives.',
  },
  {
    reason: /\btag\b/,
    message: 'Invalid tag (a word that starts with !)',
    hint: 'Remove it; quote text that starts with "!".',
  },
];

const OTHER: Omit<Explanation, 'reason'> = {
  message: 'Invalid YAML',
  hint: 'Check quotes, brackets and indentation here.',
};

/**
 * The quote that was never closed. Whatever comes after it is no quote of its kind but for escaped
 * ones, or the text would have ended there; so it is the last one that is not escaped.
 */
function openQuote(text: string, quote: '"' | "'"): number | undefined {
  const quotes = quote === '"' ? /\\.|"/gs : /'+/g;
  let last: number | undefined;
  for (const { 0: found, index } of text.matchAll(quotes)) {
    if (found.startsWith('\\')) continue;
    // Within single quotes two of them stand for one.
    if (found.length % 2 === 1) last = index;
  }
  return last;
}

/** The character says more than the reason: the parser only knows that it did not expect it. */
function byCharacter(char: string | undefined): Omit<Explanation, 'reason'> | undefined {
  if (char === '@' || char === '`' || char === '%') {
    return {
      message: `Text cannot start with ${char}`,
      hint: 'Put the text in quotes.',
    };
  }
  if (char !== ':') return undefined;
  return {
    message: 'Unexpected ":": quote the text around it, or check that the key above ends with ": "',
    hint: 'Quote the text, or write ": " (with the space) after the key above.',
  };
}

const UNEXPECTED = /^(?:bad indentation of a|end of the stream or a)/;

/** A quote that is open at the end of the text is better shown where it begins. */
function betterOffset(text: string, reason: string): number | undefined {
  if (reason.startsWith('directives end mark')) return text.search(/^%/m);
  if (!reason.startsWith('unexpected end of the stream within')) return undefined;
  if (reason.endsWith('double quoted scalar')) return openQuote(text, '"');
  if (reason.endsWith('single quoted scalar')) return openQuote(text, "'");
  return undefined;
}

export function explainSyntax(text: string, reason: string, at: number): Finding {
  const offset = betterOffset(text, reason) ?? at;
  const found =
    (UNEXPECTED.test(reason) ? byCharacter(text[offset]) : undefined) ??
    EXPLANATIONS.find((explanation) => explanation.reason.test(reason)) ??
    OTHER;
  return {
    code: found.code ?? 'YAML_SYNTAX',
    message: `${found.message} (${reason}).`,
    hint: found.hint,
    path: [],
    offset,
  };
}
