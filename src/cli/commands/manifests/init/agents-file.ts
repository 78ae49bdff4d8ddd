// An AGENTS.md for a project that has none: what was found in its folder, and nothing else. Advice is for people to add.
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INSTRUCTION_NAMES } from '../../../../domain/prompt/instructions.ts';
import { CommandError } from '../../../command-error.ts';
import { commandLine } from '../../../command-name.ts';
import type { CommandOptions } from '../../../command.ts';
import { confirmed } from '../../../terminal/confirm.ts';
import { note } from '../../../terminal/output.ts';
import { plain } from '../../../terminal/plain-text.ts';
import type { ProjectScan } from '../../../../project/scan-project.ts';

const [AGENTS_FILE] = INSTRUCTION_NAMES;
const MOST_COMMANDS = 20;
const LONGEST_SCRIPT = 120;

/** As code in a line of Markdown; undefined where it would not be one. */
function codeOf(text: string): string | undefined {
  const line = plain(text).trim();
  return line === '' || line.includes('`') || line.length > LONGEST_SCRIPT
    ? undefined
    : `\`${line}\``;
}

function commandLines({ scripts, verify, notHere }: ProjectScan): string[] {
  const runs = new Map(scripts.map((script) => [script.command, script.runs]));
  const commands = new Set([...verify, ...notHere, ...runs.keys()]);
  return [...commands].slice(0, MOST_COMMANDS).flatMap((command) => {
    const code = codeOf(command);
    if (code === undefined) return [];
    const what = codeOf(runs.get(command) ?? '');
    return [what === undefined ? `- ${code}` : `- ${code} runs ${what}`];
  });
}

function folderLines({ sources, tests, docs }: ProjectScan): string[] {
  const lines = (folders: readonly string[], what: string) =>
    folders.flatMap((folder) => {
      const code = codeOf(folder);
      return code === undefined ? [] : [`- ${code}: ${what}`];
    });
  return [...lines(sources, 'sources'), ...lines(tests, 'tests'), ...lines(docs, 'documentation')];
}

/** Undefined where there is nothing to say. */
export function agentsText(scan: ProjectScan): string | undefined {
  const commands = commandLines(scan);
  const folders = folderLines(scan);
  const { languages } = scan;
  if (commands.length + folders.length + languages.length === 0) return undefined;
  const sections = [
    [`# ${plain(scan.name)}`],
    ...(languages.length > 0 ? [[`Languages: ${languages.join(', ')}.`]] : []),
    ...(commands.length > 0 ? [['## Commands'], commands] : []),
    ...(folders.length > 0 ? [['## Folders'], folders] : []),
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function existing(folder: string): string | undefined {
  const names = INSTRUCTION_NAMES.map((name) => name.toLowerCase());
  return readdirSync(folder).find((name) => names.includes(name.toLowerCase()));
}

/** Returns the name of the file, where one was written. What is there is never touched. */
export async function offerAgentsFile(
  folder: string,
  scan: ProjectScan,
  options: CommandOptions,
): Promise<string | undefined> {
  const isAsked = options['agentsFile'] === true;
  const present = existing(folder);
  const text = present === undefined ? agentsText(scan) : undefined;
  if (text === undefined) {
    if (!isAsked) return undefined;
    note(
      present === undefined
        ? `No ${AGENTS_FILE} was written: the folder has no commands, sources or folders to name.`
        : `${present} is there already and was left as it is.`,
    );
    return undefined;
  }
  const question = `There is no ${AGENTS_FILE}. Write one with the commands and folders of this project, for assistants to read?`;
  const isWanted = isAsked || (!options['json'] && (await confirmed(options, question)));
  if (!isWanted) return undefined;
  try {
    await writeFile(join(folder, AGENTS_FILE), text, { flag: 'wx' });
  } catch (error) {
    throw new CommandError({
      code: 'CANNOT_WRITE',
      message: `Cannot write ${AGENTS_FILE}: ${(error as Error).message}`,
      hint: `The manifest is written. To have the file as well, make the folder writable and run: ${commandLine('init', '--agents-file', '--force')}`,
    });
  }
  return AGENTS_FILE;
}
