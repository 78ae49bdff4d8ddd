// Answers without our block, in the forms of other tools.
import {
  ADDED,
  GREETED,
  LOG,
  NEW,
  OLD,
  PAIR,
  VARIATION,
  adds,
  fenced,
  greets,
  pair,
} from './project.ts';
import type { Answer } from './project.ts';

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const DIFF = `--- a/src/greet.ts\n+++ b/src/greet.ts\n@@ -2,5 +2,5 @@\n \n export function greet(name: string): string {\n-${OLD}\n+${NEW}\n   log(text);\n   return text;`;
const GIT = `diff --git a/src/greet.ts b/src/greet.ts\nindex 83db48f..bf12ab3 100644\n${DIFF}`;
const PATCH = `*** Begin Patch\n*** Update File: src/greet.ts\n@@ export function greet\n-${OLD}\n+${NEW}\n   log(text);\n*** End Patch`;
const one = { oldText: OLD, newText: NEW };
const path = 'src/greet.ts';

export const LOOSE: Answer[] = [
  greets(
    'no label on the fence',
    VARIATION,
    `Here:\n\n\`\`\`\`\nedit: src/greet.ts\n${PAIR}\n\`\`\`\`\n`,
  ),
  greets(
    'text as the label',
    VARIATION,
    `\`\`\`text\nsummary: Says hi\nedit: src/greet.ts\n${PAIR}\n\`\`\`\n`,
  ),
  greets('no fence at all', VARIATION, `edit: src/greet.ts\n${PAIR}\n`),
  greets(
    'no fence, with prose around',
    VARIATION,
    `Sure!\n\n### edit: \`src/greet.ts\`\n\n${PAIR}\n\nDone.`,
  ),
  greets(
    'no fence, the markers in one',
    VARIATION,
    `**edit: src/greet.ts**\n\n${fenced(PAIR, 'ts')}\n\nDone.`,
  ),
  greets('no fence, the whole file', VARIATION, `edit: src/greet.ts\n${fenced(GREETED, 'ts')}\n`),
  greets('a path above the fence', 'aider', `src/greet.ts\n${fenced(PAIR, 'typescript')}\n`),
  greets(
    'a path above, after prose',
    'aider',
    `I change the greeting.\n\n**src/greet.ts**\n${fenced(PAIR)}\n`,
  ),
  greets('a quoted path with a colon above', 'aider', `\`src/greet.ts\`:\n${fenced(PAIR)}\n`),
  greets('the path in the fence', 'aider', fenced(`src/greet.ts\n${PAIR}`, 'typescript')),
  greets('a path above markers without a fence', 'aider', `src/greet.ts\n${PAIR}\n`),
  greets('the path behind the language', 'Continue', fenced(PAIR, 'ts src/greet.ts')),
  greets('the path as the language', 'aider', fenced(GREETED, 'src/greet.ts')),
  greets('the path behind a colon', 'Cursor', fenced(GREETED, 'ts:src/greet.ts')),
  greets('the path as a title', 'v0', fenced(GREETED, 'ts title="src/greet.ts"')),
  greets('the path as file=', 'v0', fenced(GREETED, 'tsx file="src/greet.ts"')),
  greets(
    'the whole file behind language and path',
    'Continue',
    fenced(GREETED, 'typescript src/greet.ts'),
  ),
  greets(
    'a heading and a comment with the path',
    VARIATION,
    `### src/greet.ts\n\n${fenced(`// src/greet.ts\n${GREETED}`, 'ts')}`,
  ),
  greets('a diff', VARIATION, `Here is the diff:\n\n${fenced(DIFF, 'diff')}\n`),
  greets('a git diff', 'git', fenced(GIT, 'diff')),
  greets('a git diff without a fence', 'git', `${GIT}\n`),
  greets('a diff without a fence and prose after it', VARIATION, `${DIFF}\n\nThat is all.\n`),
  greets(
    'a diff without prefixes',
    'aider udiff',
    fenced(DIFF.replace('a/src', 'src').replace('b/src', 'src'), 'diff'),
  ),
  greets(
    'a diff with wrong numbers',
    VARIATION,
    fenced(DIFF.replace('-2,5 +2,5', '-40,9 +40,9'), 'diff'),
  ),
  greets(
    'a diff with times',
    'diff -u',
    fenced(DIFF.replace('greet.ts\n+++', 'greet.ts\t2026-01-01\n+++'), 'diff'),
  ),
  greets(
    'a diff whose empty lines lost their space',
    VARIATION,
    fenced(DIFF.replace('\n \n', '\n\n'), 'diff'),
  ),
  greets(
    'hunks below a path',
    VARIATION,
    `**src/greet.ts**\n${fenced(`@@ -4 +4 @@\n-${OLD}\n+${NEW}`, 'diff')}`,
  ),
  greets('a patch', 'openai/codex', PATCH),
  greets('a patch in a fence', 'openai/codex', `I apply this:\n${fenced(PATCH)}\n`),
  greets('a patch with a fence and a label', VARIATION, fenced(PATCH, 'patch')),
  greets('bare JSON', VARIATION, json({ operations: [{ type: 'edit', path, edits: [one] }] })),
  greets(
    'JSON in a fence',
    VARIATION,
    `Here:\n${fenced(json({ operations: [{ type: 'edit', path, edits: [one] }] }), 'json')}`,
  ),
  greets('a bare list', VARIATION, json([{ type: 'edit', path, edits: [one] }])),
  greets(
    'file and op',
    VARIATION,
    json({ changes: [{ file: path, op: 'update', old_str: OLD, new_str: NEW }] }),
  ),
  greets(
    'file_path and action',
    VARIATION,
    json({ edits: [{ file_path: path, action: 'modify', find: OLD, replace: NEW }] }),
  ),
  greets(
    'filePath and kind',
    VARIATION,
    json({ files: [{ filePath: path, kind: 'edit', before: OLD, after: NEW }] }),
  ),
  greets(
    'filename and content',
    VARIATION,
    json({ files: [{ filename: path, content: GREETED }] }),
  ),
  greets('a map of files', VARIATION, json({ files: { [path]: GREETED } })),
  greets(
    'old_string and new_string',
    'Claude Code',
    json([{ file_path: path, old_string: OLD, new_string: NEW }]),
  ),
  greets(
    'one change alone',
    'OpenHands',
    json({ command: 'str_replace', path, old_str: OLD, new_str: NEW }),
  ),
  greets(
    'JSON with a comma too many',
    VARIATION,
    fenced(
      `{"operations": [{"type": "edit", "path": "${path}", "edits": [${JSON.stringify(one)},],},],}`,
      'json',
    ),
  ),
  greets(
    'JSON with comments',
    VARIATION,
    fenced(
      `{\n  // the greeting\n  "operations": [{"type": "edit", "path": "${path}", /* one */ "edits": [${JSON.stringify(one)}]}]\n}`,
      'jsonc',
    ),
  ),
  greets(
    'other names in our JSON block',
    VARIATION,
    fenced(
      json({ files: [{ file: path, action: 'update', edits: [{ find: OLD, replace: NEW }] }] }),
      'millrace-artifact',
    ),
  ),
  greets(
    'a list in our JSON block',
    VARIATION,
    fenced(json([{ type: 'edit', path, edits: [one] }]), 'millrace-artifact'),
  ),
  greets(
    'replace_in_file',
    'Cline',
    `<replace_in_file>\n<path>src/greet.ts</path>\n<diff>\n------- SEARCH\n${OLD}\n=======\n${NEW}\n+++++++ REPLACE\n</diff>\n</replace_in_file>`,
  ),
  greets(
    'apply_diff',
    'Roo-Code',
    `<apply_diff>\n<path>src/greet.ts</path>\n<diff>\n<<<<<<< SEARCH\n:start_line:4\n-------\n${OLD}\n=======\n${NEW}\n>>>>>>> REPLACE\n</diff>\n</apply_diff>`,
  ),
  greets(
    'write_to_file',
    'Cline',
    `<write_to_file>\n<path>src/greet.ts</path>\n<content>\n${GREETED}</content>\n</write_to_file>`,
  ),
  greets('file with a path', VARIATION, `<file path="src/greet.ts">\n${GREETED}</file>`),
  greets(
    'edit with search and replace',
    VARIATION,
    `<edit path="src/greet.ts">\n<search>\n${OLD}\n</search>\n<replace>\n${NEW}\n</replace>\n</edit>`,
  ),
  greets(
    'str_replace_editor',
    VARIATION,
    `<invoke name="str_replace_editor">\n<parameter name="command">str_replace</parameter>\n<parameter name="path">src/greet.ts</parameter>\n<parameter name="old_str">${OLD}</parameter>\n<parameter name="new_str">${NEW}</parameter>\n</invoke>`,
  ),
  greets(
    'function and parameter',
    'OpenHands',
    `<function=str_replace_editor>\n<parameter=command>str_replace</parameter>\n<parameter=path>src/greet.ts</parameter>\n<parameter=old_str>\n${OLD}\n</parameter>\n<parameter=new_str>\n${NEW}\n</parameter>\n</function>`,
  ),
  greets(
    'tags in a fence',
    VARIATION,
    fenced(`<file path="src/greet.ts">\n${GREETED}</file>`, 'xml'),
  ),
  greets(
    'CRLF in a loose answer',
    'a Windows proxy',
    `src/greet.ts\n${fenced(PAIR)}\n`.replaceAll('\n', '\r\n'),
  ),
  greets(
    'thoughts before a diff',
    VARIATION,
    `<think>\n${fenced(DIFF.replaceAll(NEW, '  nonsense'), 'diff')}\n</think>\n${fenced(DIFF, 'diff')}`,
  ),
  adds(
    'a new file in a diff',
    'git',
    fenced(
      `diff --git a/src/bye.ts b/src/bye.ts\nnew file mode 100644\n--- /dev/null\n+++ b/src/bye.ts\n@@ -0,0 +1 @@\n+${ADDED.trim()}`,
      'diff',
    ),
  ),
  adds(
    'a new file in a patch',
    'openai/codex',
    `*** Begin Patch\n*** Add File: src/bye.ts\n+${ADDED.trim()}\n*** End Patch\n`,
  ),
  adds(
    'an empty SEARCH',
    'aider',
    `src/bye.ts\n${fenced(`<<<<<<< SEARCH\n=======\n${ADDED}>>>>>>> REPLACE`)}`,
  ),
  adds(
    'create_file in JSON',
    'OpenHands',
    json({ command: 'create', path: 'src/bye.ts', file_text: ADDED }),
  ),
  adds(
    'write_to_file of a new file',
    'Roo-Code',
    `<write_to_file>\n<path>src/bye.ts</path>\n<content>\n${ADDED}</content>\n<line_count>1</line_count>\n</write_to_file>`,
  ),
  adds(
    'create: without a fence around it',
    VARIATION,
    `create: src/bye.ts\n${fenced(ADDED, 'ts')}\n\nDone.`,
  ),
  {
    name: 'a file that goes in a diff',
    source: 'git',
    answer: fenced(
      `diff --git a/src/log.ts b/src/log.ts\ndeleted file mode 100644\n--- a/src/log.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-${LOG.trim()}`,
      'diff',
    ),
    expect: { files: {}, gone: ['src/log.ts'] },
  },
  {
    name: 'a file that goes in a patch',
    source: 'openai/codex',
    answer: '*** Begin Patch\n*** Delete File: src/log.ts\n*** End Patch',
    expect: { files: {}, gone: ['src/log.ts'] },
  },
  {
    name: 'two files in one diff',
    source: 'git',
    answer: fenced(
      `${DIFF}\n--- a/src/log.ts\n+++ b/src/log.ts\n@@ -1 +1 @@\n-${LOG.trim()}\n+export const log = console.log;`,
      'diff',
    ),
    expect: {
      files: { 'src/greet.ts': GREETED, 'src/log.ts': 'export const log = console.log;\n' },
    },
  },
  {
    name: 'two files with paths above',
    source: 'aider',
    answer: `src/greet.ts\n${fenced(PAIR)}\n\nsrc/log.ts\n${fenced(pair('console.log', 'console.info'))}\n`,
    expect: {
      files: { 'src/greet.ts': GREETED, 'src/log.ts': LOG.replace('console.log', 'console.info') },
    },
  },
  {
    name: 'only an illustration',
    source: VARIATION,
    expect: 'none',
    answer: `You could write it like this:\n\n${fenced("const text = 'Hi ' + name;", 'ts')}\n\nShall I?`,
  },
  {
    name: 'an illustration below the name of a file',
    source: VARIATION,
    expect: 'none',
    answer: `In \`src/greet.ts\` the line is:\n\n${fenced(OLD, 'ts')}\n`,
  },
  {
    name: 'a heading with a path and a part of it',
    source: VARIATION,
    expect: 'none',
    answer: `### src/greet.ts\n\n${fenced(NEW, 'ts')}\n`,
  },
  {
    name: 'lines quoted by number',
    source: 'Cursor',
    expect: 'none',
    answer: fenced(OLD, '4:4:src/greet.ts'),
  },
  {
    name: 'other JSON',
    source: VARIATION,
    expect: 'none',
    answer: fenced('{"name": "x", "files": ["a.ts"]}', 'json'),
  },
  {
    name: 'a diff of no file',
    source: VARIATION,
    expect: 'none',
    answer: `Like so:\n${fenced('-a\n+b', 'diff')}`,
  },
  {
    name: 'prose with our words',
    source: VARIATION,
    expect: 'none',
    answer: 'Edit: I changed my mind.\nDelete: nothing.\n',
  },
  {
    name: 'a block of ours next to other code',
    source: VARIATION,
    expect: { files: { 'src/greet.ts': GREETED } },
    answer: `${fenced('export const nothing = 1;', 'ts src/log.ts')}\n\n\`\`\`\`millrace-edits\nedit: src/greet.ts\n${PAIR}\n\`\`\`\`\n`,
  },
];
