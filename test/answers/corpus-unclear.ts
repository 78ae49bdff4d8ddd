// Answers that must not be applied: what they mean cannot be known.
import { GREETED, NEW, OLD, PAIR, VARIATION, block, fenced, pair, refuses } from './project.ts';
import type { Answer } from './project.ts';

const H = 'edit: src/greet.ts';
const refused = 'stands for text that is left out';
const why = 'text is left out';

/** Nobody could do better: asking again is the only right answer. */
export const UNCLEAR: Answer[] = [
  refuses(
    'existing code',
    'Cursor',
    block(`${H}\n${fenced(`// ... existing code ...\n${NEW}\n// ... existing code ...\n`)}`),
    { refused, why },
  ),
  refuses('rest unchanged', VARIATION, block(`${H}\n${fenced(`${NEW}\n// rest unchanged\n`)}`), {
    refused,
    why,
  }),
  refuses(
    '(unchanged)',
    VARIATION,
    block(`edit: app/main.py\n${fenced('def main():\n    total = 2\n# ... (unchanged)\n')}`),
    { refused, why },
  ),
  refuses('dots in a comment', VARIATION, block(`${H}\n${fenced(`/* ... */\n${NEW}\n`)}`), {
    refused,
    why,
  }),
  refuses('dots alone', VARIATION, block(`${H}\n${fenced(`...\n${NEW}\n...\n`)}`), {
    refused,
    why,
  }),
  refuses(
    'left out in a page',
    VARIATION,
    block(`edit: README.md\n${fenced('# Greeter\n\n... (rest of the file unchanged)\n')}`),
    { refused, why },
  ),
  refuses(
    'left out in markup',
    VARIATION,
    block(`create: a.html\n${fenced('<p>Hi</p>\n<!-- rest of the page remains the same -->\n')}`),
    { refused, why },
  ),
  refuses(
    'left out in REPLACE',
    VARIATION,
    block(`${H}\n${pair(`${OLD}\n  log(text);`, `${NEW}\n  // ... existing code ...`)}`),
    { refused, why },
  ),
  refuses(
    'left out in JSON',
    VARIATION,
    fenced(
      JSON.stringify({
        files: [{ path: 'src/greet.ts', content: `// ... existing code ...\n${NEW}\n` }],
      }),
      'json',
    ),
    { refused, why },
  ),
  refuses(
    'left out behind a path',
    'Cursor',
    fenced(`// ... existing code ...\n${NEW}\n`, 'ts:src/greet.ts'),
    { refused, why },
  ),
  refuses(
    'a SEARCH block among other lines',
    VARIATION,
    block(`${H}\n${fenced(`import './log.ts';\n${PAIR}\n`)}`),
    { refused: 'other lines', why: 'half a file, half a change' },
  ),
  refuses(
    'a SEARCH block without an end',
    VARIATION,
    block(`${H}\n${fenced(`<<<<<<< SEARCH\n${OLD}\n=======\n${NEW}\n`)}`),
    { refused: 'not complete', why: 'the end is missing' },
  ),
  refuses(
    'a diff among other lines',
    VARIATION,
    block(`${H}\n${fenced(`import './log.ts';\n@@ -1 +1 @@\n-a\n+b\n`)}`),
    { refused: 'partly a diff', why: 'half a file, half a diff' },
  ),
  refuses(
    'a file that is moved',
    'git',
    fenced(
      'diff --git a/src/log.ts b/src/logger.ts\nsimilarity index 100%\nrename from src/log.ts\nrename to src/logger.ts',
      'diff',
    ),
    { refused: 'cannot move', why: 'its text is not in the answer' },
  ),
  refuses(
    'a patch that moves',
    'openai/codex',
    '*** Begin Patch\n*** Update File: src/log.ts\n*** Move to: src/logger.ts\n@@\n-a\n+b\n*** End Patch',
    { refused: 'cannot move', why: 'its text is not in the answer' },
  ),
  refuses(
    'two different whole texts in one block',
    VARIATION,
    block(`${H}\n${fenced('a\n')}\n${H}\n${fenced('b\n')}`),
    { refused: 'two operations', why: 'either could be meant' },
  ),
  refuses('SEARCH blocks of no file', 'aider', fenced(PAIR), {
    refused: 'no file',
    why: 'the file is not named',
  }),
  refuses(
    'SEARCH after a remark on another file',
    VARIATION,
    block(`${H}\n${PAIR}\n\nNow in src/log.ts:\n${pair('console.log', 'console.info')}`),
    { refused: 'not clear', why: 'the file is not named' },
  ),
  refuses('a text that is not there', VARIATION, block(`${H}\n${pair('  const name = 1;', NEW)}`), {
    refused: 'NO_MATCH',
    why: 'not in the file',
  }),
  refuses('a text that is there twice', VARIATION, block(`${H}\n${pair('text', 'words')}`), {
    refused: 'AMBIGUOUS',
    why: 'several places',
  }),
  refuses(
    'a text that ends nowhere',
    'a cut-off answer',
    `\`\`\`\`millrace-edits\n${H}\n\`\`\`ts\n${GREETED}`,
    { refused: 'never closed', why: 'cut off' },
  ),
  refuses(
    'a SEARCH block cut off',
    'a cut-off answer',
    `\`\`\`\`millrace-edits\n${H}\n<<<<<<< SEARCH\n${OLD}\n=======\n${NEW}`,
    { refused: 'never closed', why: 'cut off' },
  ),
  refuses(
    'a file given whole and in parts',
    VARIATION,
    block(`${H}\n${fenced(GREETED)}\n${PAIR}`),
    {
      refused: 'give one of them',
      why: 'either could be meant',
    },
  ),
  refuses(
    'lines put in by number',
    'OpenHands',
    '<function=str_replace_editor>\n<parameter=command>insert</parameter>\n<parameter=path>src/greet.ts</parameter>\n<parameter=insert_line>4</parameter>\n<parameter=new_str>x</parameter>\n</function>',
    { refused: 'by number', why: 'line numbers of models are wrong' },
  ),
];

/** What a person could read, and we do not yet. */
export const NOT_READ: Answer[] = [
  refuses(
    'a hunk without context',
    VARIATION,
    fenced('--- a/src/greet.ts\n+++ b/src/greet.ts\n@@ -1,0 +2 @@\n+// hi', 'diff'),
    { refused: 'no line of the file', why: 'its place is given by a number alone' },
  ),
  refuses(
    'absolute paths',
    'OpenHands',
    JSON.stringify({ command: 'create', path: '/workspace/src/bye.ts', file_text: 'x\n' }),
    { refused: 'absolute', why: 'where the project is, is not known to the model' },
  ),
];
