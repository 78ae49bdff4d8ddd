// The project that the answers of the corpus are about, and the change that most of them make.
import type { Files } from './apply-answer.ts';

export const OLD = "  const text = 'Hello ' + name;";
export const NEW = "  const text = 'Hi ' + name;";

export const GREET = `import { log } from './log.ts';

export function greet(name: string): string {
${OLD}
  log(text);
  return text;
}
`;
export const GREETED: string = GREET.replace(OLD, NEW);
export const LOG = 'export const log = (text: string): void => console.log(text);\n';
export const ADDED = "export const bye = 'Bye';\n";

export const PROJECT: Files = {
  'src/greet.ts': GREET,
  'src/log.ts': LOG,
  'app/main.py':
    'def main():\n    total = 1\n    print(total)\n\n\nif __name__ == "__main__":\n    main()\n',
  'README.md': '# Greeter\n\nSays hello.\n',
};

/** Of our own: spellings that such forms come in, written for this list. */
export const VARIATION = 'variation';

export interface Answer {
  name: string;
  /** The tool that asks its models for this form, an issue in which one was seen, or a variation. */
  source: string;
  answer: string;
  /** Files besides or instead of those of the project. */
  files?: Files;
  expect:
    | { files: Files; gone?: string[] }
    | { refused: string; why: string }
    | 'none'
    | { reads: string[] };
}

export const block = (body: string, fence = '````'): string =>
  `${fence}millrace-edits\n${body}\n${fence}\n`;
export const pair = (oldText: string, newText: string): string =>
  `<<<<<<< SEARCH\n${oldText}\n=======\n${newText}\n>>>>>>> REPLACE`;
export const PAIR: string = pair(OLD, NEW);
export const fenced = (text: string, info = ''): string =>
  `\`\`\`${info}\n${text}${text.endsWith('\n') ? '' : '\n'}\`\`\``;

/** The greeting changes. */
export const greets = (name: string, source: string, answer: string): Answer => ({
  name,
  source,
  answer,
  expect: { files: { 'src/greet.ts': GREETED } },
});
/** A file comes. */
export const adds = (name: string, source: string, answer: string): Answer => ({
  name,
  source,
  answer,
  expect: { files: { 'src/bye.ts': ADDED } },
});
/** `refused`: a part of what is told; `why`: the reason that it is not read. */
export const refuses = (
  name: string,
  source: string,
  answer: string,
  reason: { refused: string; why: string },
): Answer => ({ name, source, answer, expect: reason });
