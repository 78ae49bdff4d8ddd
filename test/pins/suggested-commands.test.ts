// Commands that the product suggests come from one function, and name commands and flags that exist.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { beforeAll, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { filesUnder, fromRoot, withoutComments } from './tree.ts';

/** Names of what was done, prose of whole pages, and layers below the function. Each still names real commands. */
const SPELT_OUT: ReadonlySet<string> = new Set([
  'src/domain/command/suggested-command.ts',
  // What a credential comes from.
  'src/cli/settings/client-settings.ts',
  'src/cli/commands/account/login.ts',
  // Help, and comments in files that are written.
  'src/cli/command.ts',
  'src/cli/program.ts',
  'src/cli/commands/help/help-topics.ts',
  'src/cli/commands/runs/flags.ts',
  'src/cli/commands/manifests/init/templates.ts',
  'src/cli/commands/mcp/serve-tools.ts',
  'src/cli/commands/completion/completion.ts',
  'src/cli/commands/completion/bash.ts',
  'src/cli/commands/completion/fish.ts',
  'src/cli/commands/completion/zsh.ts',
  'src/contract/run-events.ts',
  // A library of its own, without anything of ours.
  'src/manifest/text/parse.ts',
  'src/manifest/text/read-document.ts',
  'src/manifest/text/notation.ts',
  'src/manifest/validate.ts',
  // Instructions for a model, which tells its user in its own words.
  'src/tools/tool-error.ts',
  'src/tools/workspace-files.ts',
  'src/tools/prompts/get-prompt.ts',
  'src/tools/apply.ts',
  'src/tools/resources/project.ts',
]);

const sources = [...filesUnder('src', '.ts'), ...filesUnder('web', '.ts', '.tsx')];
const textOf = (file: string) => withoutComments(readFileSync(fromRoot(file), 'utf8'));
let program: Command;
beforeAll(async () => {
  program = await createProgram(() => async () => {});
});

/** The strings and texts of a file in which a command is written out. */
function spelt(text: string): string[] {
  const names = program.commands.map((command) => command.name()).join('|');
  return (
    text.match(new RegExp(`(?:npx(?: -y)? |\\./)?\\bmillrace (?:-\\S+ )*(?:${names})\\b`, 'g')) ??
    []
  );
}

interface Call {
  file: string;
  words: string[];
}

const MAKERS =
  /(?<!\.|function )\b(?:commandLine|commandIn|commandWithout|plainCommand|suggestCommand|command)\(/g;

/** The calls of the functions, with the words that are written there. */
function callsIn(file: string): Call[] {
  const text = textOf(file);
  return [...text.matchAll(MAKERS)].flatMap((match) => {
    const after = text.slice(match.index + match[0].length);
    const words: string[] = [];
    // Up to the first argument that is not written out; of some, the first is no word.
    const skipped = /^(?:commandIn|commandWithout|suggestCommand)/.test(match[0])
      ? /^\s*(?:[^,()]|\([^()]*\))*,\s*/
      : /^\s*/;
    let rest = after.replace(skipped, '');
    for (
      let found = /^'([^']*)'\s*,?\s*/.exec(rest);
      found;
      found = /^'([^']*)'\s*,?\s*/.exec(rest)
    ) {
      words.push(found[1]!);
      rest = rest.slice(found[0].length);
    }
    return words.length === 0 ? [] : [{ file, words }];
  });
}

/** What is wrong with the words, as far as they go. */
function problemOf(words: readonly string[]): string | undefined {
  let at = program;
  for (const word of words) {
    if (word.startsWith('-')) {
      const known = [...at.options, ...program.options].some(({ long, short }) =>
        [long, short, long?.replace(/^--no-/, '--')].includes(word),
      );
      if (!known && !['--help', '--version', '--'].includes(word))
        return `${at.name()} has no ${word}`;
      continue;
    }
    const next = at.commands.find((command) => command.name() === word);
    if (next !== undefined) at = next;
    else if (at === program) return `there is no command ${word}`;
  }
  return undefined;
}

it('commands are made by the one function, and nowhere else', () => {
  const others = sources
    .filter((file) => !SPELT_OUT.has(file))
    .flatMap((file) => spelt(textOf(file)).map((found) => `${file}: ${found}`));
  expect(others).toEqual([]);
  for (const file of SPELT_OUT) expect(sources, 'a file that is gone').toContain(file);
});

it('what is made names commands and flags that exist', () => {
  const calls = sources.flatMap(callsIn);
  expect(calls.length).toBeGreaterThan(80);
  const wrong = calls.flatMap(({ file, words }) => {
    const problem = problemOf(words);
    return problem === undefined ? [] : [`${file}: ${words.join(' ')}: ${problem}`];
  });
  expect(wrong).toEqual([]);
});

it('finds what is written out, and what does not exist', () => {
  expect(spelt('text={`millrace run ${file}`}')).toEqual(['millrace run']);
  expect(spelt("'npx -y millrace login'")).toEqual(['npx -y millrace login']);
  expect(spelt("'./millrace -C x plan'")).toEqual([]);
  expect(problemOf(['rnu'])).toBe('there is no command rnu');
  expect(problemOf(['run', '--nonsense'])).toBe('run has no --nonsense');
  expect(problemOf(['exec', 'list', '--before'])).toBeUndefined();
});

/** Every page and text names a package that can be had: none is published. */
it('no text names a package to be fetched by name', () => {
  const documents = [...filesUnder('docs', '.md'), 'README.md', ...filesUnder('examples', '.md')];
  const named = [...sources, ...documents].flatMap((file) => {
    const text = file.endsWith('.md') ? readFileSync(fromRoot(file), 'utf8') : textOf(file);
    const found = text.match(
      /\bnpx (?:-y )?millrace\b|npm (?:i|install)(?: -g| --global)? millrace(?![\w/.-])/g,
    );
    return (found ?? []).map((each) => `${file}: ${each}`);
  });
  expect(named).toEqual([]);
});

it('the examples in the help of every command can be typed', async () => {
  const examples: string[] = [];
  const visit = (command: Command) => {
    for (const [, line = ''] of command.description().matchAll(/^ {2}\$ millrace (.+)$/gm)) {
      examples.push(line.replace(/\s+#.*$/, '').replace(/ [<>|] .*$/, ''));
    }
    command.commands.forEach(visit);
  };
  visit(program);
  expect(examples.length).toBeGreaterThan(80);
  const wrong: string[] = [];
  for (const example of examples) {
    const words = [...example.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
      ([, single, double, plain]) => single ?? double ?? plain!,
    );
    const fresh = await createProgram(() => async () => {});
    const quiet = { writeErr: () => {}, outputError: () => {} };
    const silence = (command: Command) => {
      command.configureOutput(quiet).exitOverride();
      command.commands.forEach(silence);
    };
    silence(fresh);
    await fresh
      .parseAsync(words, { from: 'user' })
      .catch((error: unknown) => wrong.push(`${example}: ${(error as Error).message}`));
  }
  expect(wrong).toEqual([]);
});
