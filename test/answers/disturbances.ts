// Ways in which an answer differs from the one that was asked for, although the same is meant.
import { block, fenced } from './project.ts';

/** A change of one file: what its lines were and what they are to be, with some lines around them. */
export interface Change {
  path: string;
  pairs: { oldText: string; newText: string }[];
}

export interface Disturbance {
  name: string;
  render(change: Change): string;
}

interface Dress {
  header?(path: string): string;
  text?(text: string): string;
  /** Of the searched and of the new text alone. */
  oldText?(text: string): string;
  newText?(text: string): string;
  markers?: [string, string, string];
  between?: string;
  around?(body: string): string;
}

const MARKERS: [string, string, string] = ['<<<<<<< SEARCH', '=======', '>>>>>>> REPLACE'];
const same = (text: string): string => text;

function render({ path, pairs }: Change, dress: Dress): string {
  const [open, divider, close] = dress.markers ?? MARKERS;
  const { text = same, oldText = same, newText = same } = dress;
  const parts = pairs.map((pair) => {
    const replace = pair.newText === '' ? '' : newText(text(pair.newText));
    return `${open}\n${oldText(text(pair.oldText))}\n${divider}\n${replace === '' ? '' : `${replace}\n`}${close}`;
  });
  const header = dress.header?.(path) ?? `edit: ${path}`;
  return (dress.around ?? block)(`${header}\n${parts.join(`\n${dress.between ?? ''}`)}`);
}

const lines = (change: (line: string) => string) => (text: string) =>
  text.split('\n').map(change).join('\n');
const smallest = (text: string): number =>
  Math.min(
    ...text.split('\n').flatMap((l) => (l.trim() === '' ? [] : [/^ */.exec(l)![0].length])),
    99,
  );
/** Without the indentation that all lines share, as when a text is cut out of its place. */
const flat = (text: string): string => {
  const count = smallest(text);
  return lines((line) => line.slice(Math.min(count, /^ */.exec(line)![0].length)))(text);
};
const curly = (text: string): string => text.replaceAll("'", '’').replaceAll('"', '”');
const dressed = (name: string, dress: Dress): Disturbance => ({
  name,
  render: (change) => render(change, dress),
});

export const DISTURBANCES: Disturbance[] = [
  dressed('as asked', {}),
  dressed('no indentation in either', { text: flat }),
  dressed('no indentation in SEARCH', { oldText: flat }),
  dressed('no indentation in REPLACE', { newText: flat }),
  dressed('deeper in both', { text: lines((line) => (line.trim() === '' ? line : `    ${line}`)) }),
  dressed('blanks at the end of lines', { text: lines((line) => `${line}  `) }),
  dressed('no blanks at the end of lines', { text: lines((line) => line.trimEnd()) }),
  dressed('curly quotes', { text: curly }),
  dressed('tabs for spaces', {
    text: lines((line) => line.replace(/^(?: {2})+/, (all) => '\t'.repeat(all.length / 2))),
  }),
  dressed('CRLF', { around: (body) => block(body).replaceAll('\n', '\r\n') }),
  dressed('fewer backticks', { around: (body) => block(body, '```') }),
  dressed('not closed', { around: (body) => `\`\`\`\`millrace-edits\n${body}\n` }),
  dressed('short markers', { markers: ['<<<<< SEARCH', '=====', '>>>>> REPLACE'] }),
  dressed('long markers', { markers: ['<<<<<<<<< search', '=========', '>>>>>>>>> replace'] }),
  dressed('other words', { markers: ['<<<<<<< ORIGINAL', '=======', '>>>>>>> UPDATED'] }),
  dressed('dashes and pluses', { markers: ['------- SEARCH', '=======', '+++++++ REPLACE'] }),
  dressed('a heading', { header: (path) => `### Edit: \`${path}\`` }),
  dressed('remarks between', { between: '\nThe next change goes with it.\n\n' }),
  dressed('given twice', { around: (body) => `${block(body)}\n${block(body)}` }),
  dressed('prose around, no label', {
    around: (body) => `Here is the change.\n\n\`\`\`\`\n${body}\n\`\`\`\`\n\nThat is all.\n`,
  }),
  dressed('no fence at all', {
    around: (body) => `Here is the change.\n\n${body}\n\nThat is all.\n`,
  }),
  {
    name: 'a path above a fence',
    render: (change) => {
      const bare = render(change, { header: () => '', around: same });
      return `${change.path}\n${fenced(bare.trimStart(), 'ts')}\n`;
    },
  },
  {
    name: 'a diff',
    render: ({ path, pairs }) =>
      fenced(`--- a/${path}\n+++ b/${path}\n${pairs.map(hunk).join('\n')}`, 'diff'),
  },
  {
    name: 'a patch',
    render: ({ path, pairs }) =>
      `*** Begin Patch\n*** Update File: ${path}\n${pairs.map(hunk).join('\n')}\n*** End Patch\n`,
  },
  {
    name: 'JSON in other words',
    render: ({ path, pairs }) =>
      JSON.stringify({
        files: [{ file: path, edits: pairs.map(exactly) }],
      }),
  },
];

/** In JSON, lines that go take their line break with them. */
function exactly({ oldText, newText }: Change['pairs'][number]) {
  return newText === ''
    ? { find: `${oldText}\n`, replace: '' }
    : { find: oldText, replace: newText };
}

/** All old lines, then all new ones: models do not look for those that stay. */
function hunk({ oldText, newText }: Change['pairs'][number]): string {
  const signed = (sign: string, text: string) =>
    text === '' ? [] : text.split('\n').map((line) => sign + line);
  return ['@@ -1,9 +1,9 @@', ...signed('-', oldText), ...signed('+', newText)].join('\n');
}
