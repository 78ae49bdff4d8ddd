// The signs that stand for states. Where the terminal cannot show them, letters do.

export interface Glyphs {
  done: string;
  failed: string;
  waiting: string;
  skipped: string;
  blocked: string;
  paused: string;
  /** One after the other, while something runs. */
  spinner: readonly string[];
  branch: string;
  ellipsis: string;
  separator: string;
}

export const UNICODE_GLYPHS: Glyphs = {
  done: '✓',
  failed: '✗',
  waiting: '·',
  skipped: '○',
  blocked: '⊘',
  paused: '‖',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  branch: '└',
  ellipsis: '…',
  separator: '·',
};

export const ASCII_GLYPHS: Glyphs = {
  done: '+',
  failed: 'x',
  waiting: '.',
  skipped: 'o',
  blocked: '-',
  paused: '=',
  spinner: ['|', '/', '-', '\\'],
  branch: '`-',
  ellipsis: '~',
  separator: '-',
};

/** By the locale, in the order in which the system itself looks at the variables. */
export function glyphsFor(env: NodeJS.ProcessEnv): Glyphs {
  if (env['TERM'] === 'dumb') return ASCII_GLYPHS;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale) ? UNICODE_GLYPHS : ASCII_GLYPHS;
}
