// What models were seen to write, in issues and pull requests of tools that read such answers.
import { GREETED, NEW, OLD, PAIR, block, fenced, greets, refuses } from './project.ts';
import type { Answer } from './project.ts';

const H = 'edit: src/greet.ts';
const PATCH = `*** Begin Patch\n*** Update File: src/greet.ts\n@@\n-${OLD}\n+${NEW}\n*** End Patch`;
const hinted = (hint: string, inReplace = ''): string =>
  block(
    `${H}\n<<<<<<< SEARCH\n${hint}\n-------\n${OLD}\n=======\n${inReplace}${NEW}\n>>>>>>> REPLACE`,
  );
const dashed = `------- SEARCH>\n${OLD}\n=======\n${NEW}\n+++++++ REPLACE>`;
const numbered = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line, at) => `${at + 1} | ${line}`)
    .join('\n');

export const SEEN: Answer[] = [
  greets('markers that end in >', 'cline/cline#4427', block(`${H}\n${dashed}`)),
  greets(
    'the same in a call of a tool',
    'cline/cline#4427',
    `<replace_in_file>\n<path>src/greet.ts</path>\n<diff>\n${dashed}\n</diff>\n</replace_in_file>`,
  ),
  greets(
    'markers of six characters',
    'cline/cline#4264',
    block(`${H}\n<<<<<< SEARCH\n${OLD}\n======\n${NEW}\n>>>>>> REPLACE`),
  ),
  greets(
    'a bold path in a numbered list',
    'Aider-AI/aider#918',
    `1. **src/greet.ts** (changed)\n${fenced(PAIR)}\n`,
  ),
  greets(
    'a patch in a fence after prose',
    'openai/codex#35361',
    `Here is the patch:\n\n${fenced(PATCH, 'diff')}\n`,
  ),
  greets('***Begin Patch', 'openai/codex#35361', fenced(PATCH.replace('*** Begin', '***Begin'))),
  greets(
    'stars on both sides',
    'lidge-jun/opencodex#372',
    PATCH.replace('Begin Patch', 'Begin Patch ***').replace('End Patch', 'End Patch ***'),
  ),
  greets(
    'a patch in a here-document',
    'openai/codex#993',
    fenced(`apply_patch <<'EOF'\n${PATCH}\nEOF`, 'bash'),
  ),
  greets(
    'a here-document up to another word',
    'anomalyco/opencode#43389',
    fenced(`apply_patch <<'PATCH-1'\n${PATCH}\nPATCH-1`, 'bash'),
  ),
  greets('@@ twice', 'github/copilot-cli#1109', PATCH.replace('@@\n', '@@\n@@\n')),
  greets(':start_line=4', 'RooCodeInc/Roo-Code#12199', hinted(':start_line=4')),
  greets(':start_line>4', 'RooCodeInc/Roo-Code#12199', hinted(':start_line>4')),
  greets(
    'the place of the lines in REPLACE, too',
    'RooCodeInc/Roo-Code#4013',
    hinted(':start_line:4', ':start_line:4\n-------\n'),
  ),
  refuses(
    'dashes that run into the text',
    'RooCodeInc/Roo-Code#12210',
    hinted(':start_line:4').replace('-------\n', '-------'),
    { refused: 'NO_MATCH', why: 'what belongs to the text cannot be told' },
  ),
  refuses(
    'numbers before the lines of an edit',
    'RooCodeInc/Roo-Code#2657',
    block(`${H}\n<<<<<<< SEARCH\n4 | ${OLD}\n=======\n4 | ${NEW}\n>>>>>>> REPLACE`),
    { refused: 'NO_MATCH', why: 'the file has no such numbers' },
  ),
  refuses(
    'numbers before the lines of a whole file',
    'RooCodeInc/Roo-Code#2657',
    block(`${H}\n${fenced(numbered(GREETED))}`),
    { refused: 'its lines are numbered', why: 'they would be written into the file' },
  ),
  refuses(
    'a line that runs into the end of a patch',
    'openai/codex#14424',
    PATCH.replace('\n*** End Patch', ';*** End Patch'),
    { refused: 'runs into the end', why: 'the marker would be written into the file' },
  ),
  refuses(
    'the rest of the file',
    'MatthewZMD/aidermacs#160',
    block(`${H}\n${fenced(`${NEW}\n// ... rest of the file\n`)}`),
    { refused: 'stands for text that is left out', why: 'text is left out' },
  ),
  refuses(
    'a marker that is misspelt',
    'cline/cline#4264',
    block(`${H}\n${PAIR.replace('SEARCH', 'SEARC')}`),
    { refused: 'belongs to no SEARCH block', why: 'what is searched for cannot be told' },
  ),
  refuses(
    'a bracket alone is searched for',
    'Aider-AI/aider#685',
    block(`${H}\n<<<<<<< SEARCH\n}\n=======\n}\nmore();\n>>>>>>> REPLACE`),
    { refused: 'AMBIGUOUS', why: 'it is in the file more than once' },
  ),
];
