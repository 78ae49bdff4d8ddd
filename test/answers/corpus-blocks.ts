// Answers in our own block, in all the dress that models give it.
import {
  ADDED,
  GREET,
  GREETED,
  LOG,
  NEW,
  OLD,
  PAIR,
  adds,
  block,
  fenced,
  greets,
  pair,
  VARIATION,
} from './project.ts';
import type { Answer } from './project.ts';

const ours = 'millrace prompt';
const H = 'edit: src/greet.ts';

export const BLOCKS: Answer[] = [
  greets('as asked', ours, `Done.\n\n${block(`${H}\n${PAIR}`)}`),
  greets('a heading around the line', VARIATION, block(`### edit: \`src/greet.ts\`\n${PAIR}`)),
  greets('bold', VARIATION, block(`**Edit: src/greet.ts**\n\n${PAIR}`)),
  greets('only the word bold', VARIATION, block(`**edit:** src/greet.ts\n${PAIR}`)),
  greets('a list entry', VARIATION, block(`- edit: src/greet.ts\n${PAIR}`)),
  greets('a numbered entry', VARIATION, block(`1. edit: src/greet.ts\n${PAIR}`)),
  greets('double quotes', VARIATION, block(`edit: "src/greet.ts"\n${PAIR}`)),
  greets('single quotes', VARIATION, block(`edit: 'src/greet.ts'\n${PAIR}`)),
  greets('dot slash', VARIATION, block(`edit: ./src/greet.ts\n${PAIR}`)),
  greets('file: before the path', VARIATION, block(`edit: file: src/greet.ts\n${PAIR}`)),
  greets(
    'a remark after the path',
    VARIATION,
    block(`edit: src/greet.ts (existing file)\n${PAIR}`),
  ),
  greets(
    'a comment after the path',
    VARIATION,
    block(`edit: src/greet.ts # the greeting\n${PAIR}`),
  ),
  greets(
    'a remark after a quoted path',
    VARIATION,
    block(`edit: \`src/greet.ts\` - shorter\n${PAIR}`),
  ),
  greets('a line number after the path', VARIATION, block(`edit: src/greet.ts:4\n${PAIR}`)),
  greets('capitals', VARIATION, block(`EDIT: src/greet.ts\n${PAIR}`)),
  greets('another word for edit', VARIATION, block(`update: src/greet.ts\n${PAIR}`)),
  greets(
    'remarks inside',
    VARIATION,
    block(`I shorten the greeting.\n\n${H}\nThis line changes:\n${PAIR}\n\nThat is all.`),
  ),
  greets(
    'a summary over two lines',
    VARIATION,
    block(`summary: Says hi\ninstead of hello\n\n${H}\n${PAIR}`),
  ),
  greets('a summary at the end', VARIATION, block(`${H}\n${PAIR}\n\nsummary: Says hi`)),
  greets(
    'closed with too few backticks',
    VARIATION,
    `\`\`\`\`millrace-edits\n${H}\n${PAIR}\n\`\`\`\nDone.\n`,
  ),
  greets('not closed', VARIATION, `\`\`\`\`millrace-edits\n${H}\n${PAIR}\n`),
  greets('three backticks outside', VARIATION, block(`${H}\n${PAIR}`, '```')),
  greets('tildes', VARIATION, block(`${H}\n${PAIR}`, '~~~~')),
  greets('markers in a fence', VARIATION, block(`${H}\n${fenced(PAIR)}`)),
  greets('markers in a fence with a language', VARIATION, block(`${H}\n${fenced(PAIR, 'ts')}`)),
  greets(
    'markers in a fence, three and three',
    VARIATION,
    block(`${H}\n${fenced(PAIR, 'ts')}`, '```'),
  ),
  greets(
    'five characters a marker',
    VARIATION,
    block(`${H}\n${PAIR.replaceAll(/[<>=]{7}/g, (m) => m.slice(2))}`),
  ),
  greets(
    'nine characters a marker',
    VARIATION,
    block(`${H}\n${PAIR.replaceAll(/([<>=])\1{6}/g, '$&$1$1')}`),
  ),
  greets(
    'markers of different lengths',
    VARIATION,
    block(`${H}\n${PAIR.replace('=======', '======')}`),
  ),
  greets(
    'lower-case words',
    VARIATION,
    block(`${H}\n${PAIR.replace('SEARCH', 'search').replace('REPLACE', 'replace')}`),
  ),
  greets(
    'ORIGINAL and UPDATED',
    'Void, gptme',
    block(`${H}\n${PAIR.replace('SEARCH', 'ORIGINAL').replace('REPLACE', 'UPDATED')}`),
  ),
  greets(
    'a merge conflict',
    VARIATION,
    block(`${H}\n${PAIR.replace('SEARCH', 'HEAD').replace('REPLACE', 'feature')}`),
  ),
  greets(
    'dashes and pluses',
    'Cline',
    block(`${H}\n------- SEARCH\n${OLD}\n=======\n${NEW}\n+++++++ REPLACE`),
  ),
  greets(
    'the path in the marker',
    'aider',
    block(`<<<<<<< SEARCH src/greet.ts\n${OLD}\n=======\n${NEW}\n>>>>>>> REPLACE`),
  ),
  greets(
    'line numbers as hints',
    'Roo-Code',
    block(`${H}\n<<<<<<< SEARCH\n:start_line:4\n-------\n${OLD}\n=======\n${NEW}\n>>>>>>> REPLACE`),
  ),
  greets('a path alone above the markers', 'aider', block(`src/greet.ts\n${PAIR}`)),
  greets('CRLF everywhere', 'a Windows proxy', block(`${H}\n${PAIR}`).replaceAll('\n', '\r\n')),
  greets('spaces after the markers', VARIATION, block(`${H}\n${PAIR.replaceAll('\n', '  \n')}`)),
  greets(
    'a diff in the block',
    VARIATION,
    block(
      `${H}\n${fenced(`@@ -3,4 +3,4 @@\n export function greet(name: string): string {\n-${OLD}\n+${NEW}\n   log(text);`, 'diff')}`,
    ),
  ),
  greets(
    'a diff without numbers',
    VARIATION,
    block(`${H}\n${fenced(`@@\n-${OLD}\n+${NEW}\n   log(text);`, 'diff')}`),
  ),
  greets(
    'a diff without hunk lines',
    VARIATION,
    block(`${H}\n${fenced(`-${OLD}\n+${NEW}`, 'diff')}`),
  ),
  greets(
    'a diff with names',
    VARIATION,
    block(
      `${H}\n${fenced(`--- a/src/greet.ts\n+++ b/src/greet.ts\n@@ -4 +4 @@\n-${OLD}\n+${NEW}`, 'diff')}`,
    ),
  ),
  greets('an unfenced diff', VARIATION, block(`${H}\n@@ -4 +4 @@\n-${OLD}\n+${NEW}`)),
  greets(
    'a patch in the block',
    'Codex',
    block(`*** Begin Patch\n*** Update File: src/greet.ts\n@@\n-${OLD}\n+${NEW}\n*** End Patch`),
  ),
  greets('the whole file', ours, block(`${H}\n${fenced(GREETED, 'ts')}`)),
  greets(
    'the whole file, three and three',
    VARIATION,
    block(`${H}\n${fenced(GREETED, 'ts')}`, '```'),
  ),
  greets('the same edit twice', VARIATION, block(`${H}\n${PAIR}\n${PAIR}`)),
  greets(
    'the same file in two blocks',
    VARIATION,
    `${block(`${H}\n${PAIR}`)}\nAnd again:\n${block(`${H}\n${PAIR}`)}`,
  ),
  greets(
    'the whole file twice',
    VARIATION,
    `${block(`${H}\n${fenced(GREETED)}`)}${block(`${H}\n${fenced(GREETED)}`)}`,
  ),
  greets(
    'a corrected whole file',
    VARIATION,
    `${block(`${H}\n${fenced('oops\n')}`)}Wait, that is wrong.\n${block(`${H}\n${fenced(GREETED)}`)}`,
  ),
  greets(
    'a draft in its thoughts',
    VARIATION,
    `<think>\nMaybe\n${block(`${H}\n${fenced('draft\n')}`)}\n</think>\n${block(`${H}\n${PAIR}`)}`,
  ),
  greets(
    'thoughts without an opening tag',
    VARIATION,
    `Maybe\n${block(`${H}\n${fenced('draft\n')}`)}\n</think>\n\n${block(`${H}\n${PAIR}`)}`,
  ),
  greets('SEARCH without indentation', VARIATION, block(`${H}\n${pair(OLD.trim(), NEW)}`)),
  greets('neither has indentation', VARIATION, block(`${H}\n${pair(OLD.trim(), NEW.trim())}`)),
  greets(
    'curly quotes',
    'a chat window',
    block(`${H}\n${pair(OLD.replaceAll("'", '’'), NEW.replaceAll("'", '’'))}`),
  ),
  greets(
    'shared context in two edits',
    VARIATION,
    block(
      `${H}\n${pair(`${OLD}\n  log(text);`, `${NEW}\n  log(text);`)}\n${pair('  log(text);\n  return text;', '  log(text);\n  return text;')}`,
    ),
  ),
  greets(
    'an example after the block',
    VARIATION,
    `${block(`${H}\n${PAIR}`)}\nTry it:\n\n${fenced('npm test', 'bash')}\n`,
  ),
  greets('the block closed after the first file', VARIATION, `${block(`${H}\n${PAIR}`, '```')}\n`),
  adds('a new file', ours, block(`create: src/bye.ts\n${fenced(ADDED, 'ts')}`)),
  adds(
    'a new file under edit:',
    VARIATION,
    block(`edit: src/bye.ts (new file)\n${fenced(ADDED, 'ts')}`),
  ),
  adds('New file:', VARIATION, block(`**New file: \`src/bye.ts\`**\n${fenced(ADDED, 'ts')}`)),
  adds(
    'an empty SEARCH',
    'aider',
    block(`create: src/bye.ts\n<<<<<<< SEARCH\n=======\n${ADDED}>>>>>>> REPLACE`),
  ),
  {
    name: 'a README with fences as short as its own',
    source: VARIATION,
    answer: block(
      `create: docs/use.md\n${fenced('# Use\n\n```bash\nnpm start\n```\n\nThen open it.\n', 'md')}`,
    ),
    expect: { files: { 'docs/use.md': '# Use\n\n```bash\nnpm start\n```\n\nThen open it.\n' } },
  },
  {
    name: 'the same, three and three',
    source: VARIATION,
    answer: block(
      `create: docs/use.md\n${fenced('# Use\n\n```bash\nnpm start\n```\n\nThen open it.\n', 'md')}`,
      '```',
    ),
    expect: { files: { 'docs/use.md': '# Use\n\n```bash\nnpm start\n```\n\nThen open it.\n' } },
  },
  {
    name: 'a README between two files',
    source: VARIATION,
    answer: block(
      `create: docs/use.md\n${fenced('# Use\n\n```\nnpm start\n```\n', 'md')}\n\ndelete: src/log.ts`,
    ),
    expect: { files: { 'docs/use.md': '# Use\n\n```\nnpm start\n```\n' }, gone: ['src/log.ts'] },
  },
  {
    name: 'a file goes',
    source: ours,
    answer: block('delete: src/log.ts'),
    expect: { files: {}, gone: ['src/log.ts'] },
  },
  {
    name: 'a YAML file whose keys look like our lines',
    source: ours,
    answer: block(
      `create: ci.yml\n${fenced('create: true\ndelete: old.txt\nstatus: ok\n', 'yaml')}`,
    ),
    expect: { files: { 'ci.yml': 'create: true\ndelete: old.txt\nstatus: ok\n' } },
  },
  {
    name: 'a patch file',
    source: ours,
    answer: block(`create: fix.patch\n${fenced('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n')}`),
    expect: { files: { 'fix.patch': '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n' } },
  },
  {
    name: 'a page about merge conflicts',
    source: ours,
    answer: block(
      `create: docs/merge.md\n${fenced(`# Conflicts\n\n${PAIR}\n\nChoose one.\n`, 'md')}`,
    ),
    expect: { files: { 'docs/merge.md': `# Conflicts\n\n${PAIR}\n\nChoose one.\n` } },
  },
  {
    name: 'spreads and Ellipsis are code',
    source: ours,
    answer: block(
      `create: a.ts\n${fenced('export const a = [\n  ...rest,\n  ...existing\n];\n')}\ncreate: b.py\n${fenced('def f():\n    ...\n')}`,
    ),
    expect: {
      files: {
        'a.ts': 'export const a = [\n  ...rest,\n  ...existing\n];\n',
        'b.py': 'def f():\n    ...\n',
      },
    },
  },
  {
    name: 'a README with an example that leaves code out',
    source: VARIATION,
    answer: block(
      `create: docs/a.md\n\`\`\`\`\`md\n# A\n\n\`\`\`js\nstart();\n// ...\n\`\`\`\n\`\`\`\`\``,
      '``````',
    ),
    expect: { files: { 'docs/a.md': '# A\n\n```js\nstart();\n// ...\n```\n' } },
  },
  {
    name: 'a whole text that holds markers and says so',
    source: ours,
    answer: block(`create: t.ts\n${fenced(`const x = \`\n${PAIR}\n\`;\n`, 'ts whole')}`),
    expect: { files: { 't.ts': `const x = \`\n${PAIR}\n\`;\n` } },
  },
  {
    name: 'no line break at the end',
    source: ours,
    answer: block(`create: a.txt\n${fenced('x')}\n\\ No newline at end of file`),
    expect: { files: { 'a.txt': 'x' } },
  },
  {
    name: 'a whole file for one with CRLF',
    source: ours,
    files: { 'w.ts': 'a\r\nb\r\n' },
    answer: block(`edit: w.ts\n${fenced('a\nc\n')}`),
    expect: { files: { 'w.ts': 'a\r\nc\r\n' } },
  },
  {
    name: 'an edit for one with CRLF',
    source: ours,
    files: { 'w.ts': 'a\r\nb\r\n' },
    answer: block(`edit: w.ts\n${pair('b', 'c\nd')}`),
    expect: { files: { 'w.ts': 'a\r\nc\r\nd\r\n' } },
  },
  {
    name: 'a whole file for one with a byte order mark',
    source: ours,
    files: { 'w.ts': '\ufeffa\n' },
    answer: block(`edit: w.ts\n${fenced('b\n')}`),
    expect: { files: { 'w.ts': '\ufeffb\n' } },
  },
  {
    name: 'edits that follow each other',
    source: VARIATION,
    answer: block(`${H}\n${PAIR}\n${pair(NEW, `${NEW}\n  log(name);`)}`),
    expect: { files: { 'src/greet.ts': GREET.replace(OLD, `${NEW}\n  log(name);`) } },
  },
  {
    name: 'two files, the second after the block was closed',
    source: VARIATION,
    answer: `${block(`${H}\n${fenced(PAIR, 'ts')}`, '```')}\nedit: src/log.ts\n${fenced(pair('console.log', 'console.info'))}\n\`\`\`\n`,
    expect: {
      files: { 'src/greet.ts': GREETED, 'src/log.ts': LOG.replace('console.log', 'console.info') },
    },
  },
  {
    name: 'Python wrapped in a condition',
    source: VARIATION,
    answer: block(`edit: app/main.py\n${pair('print(total)', 'if total:\n    print(total)')}`),
    expect: {
      files: {
        'app/main.py':
          'def main():\n    total = 1\n    if total:\n        print(total)\n\n\nif __name__ == "__main__":\n    main()\n',
      },
    },
  },
  {
    name: 'files to read',
    source: ours,
    answer: `I need to see more.\n${block('read: src/log.ts\nread: `README.md`')}`,
    expect: { reads: ['src/log.ts', 'README.md'] },
  },
];
