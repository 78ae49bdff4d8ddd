// Writes a manifest that fits the project.
import { basename } from 'node:path';
import { PLACEHOLDER } from '../../../../manifest/placeholder.ts';
import { parseManifest } from '../../../../manifest/text/parse.ts';
import { CommandError } from '../../../command-error.ts';
import { commandLine } from '../../../command-name.ts';
import type { CommandOptions } from '../../../command.ts';
import { EXIT } from '../../../exit-codes.ts';
import { createFile } from '../create-file.ts';
import { DEFAULT_MANIFEST } from '../source.ts';
import { note, print } from '../../../terminal/output.ts';
import { plain } from '../../../terminal/plain-text.ts';
import { offerAgentsFile } from './agents-file.ts';
import { SCHEMA_FILE, placeSchema, writeSchema } from './schema-file.ts';
import { scanProject } from '../../../../project/scan-project.ts';
import { writeTemplate } from './templates.ts';
import type { Template } from './templates.ts';

function nameOf(options: CommandOptions, fallback: string): string {
  const given = options['name'];
  if (given === undefined) return fallback;
  const name = plain(String(given)).trim();
  if (name !== '') return name;
  throw new CommandError({
    code: 'USAGE',
    message: '--name is empty.',
    hint: 'Give the feature a name, or leave --name out.',
  });
}

export async function init(options: CommandOptions, args: string[]): Promise<number> {
  const file = args[0] ?? DEFAULT_MANIFEST;
  const scan = await scanProject(process.cwd(), process.env);
  const schema = placeSchema(process.cwd(), file);
  const text = writeTemplate(options['template'] as Template, {
    name: nameOf(options, scan.name),
    scan,
    created: new Date().toISOString(),
    schema: schema.name,
  });
  const parsed = parseManifest(text, { file });
  if (parsed.kind === 'invalid') {
    const [problem] = parsed.problems;
    throw new Error(`The template is not valid: ${problem?.message ?? ''}`);
  }
  await createFile(file, text, options['force'] === true);
  const hasNewSchema = schema.copy === undefined ? false : await writeSchema(schema.copy);
  const agentsFile = await offerAgentsFile(process.cwd(), scan, options);
  const { notation, streams } = parsed.manifest;
  const ids = [...streams.keys()];
  if (options['json']) {
    print(JSON.stringify({ file, notation, streams: ids, ...(agentsFile && { agentsFile }) }));
    return EXIT.ok;
  }
  print(`Wrote ${file} with ${ids.length === 1 ? 'the stream' : 'the streams'} ${ids.join(', ')}.`);
  if (hasNewSchema) note(`Wrote ${SCHEMA_FILE}, which your editor uses to check it. Commit both.`);
  if (agentsFile !== undefined)
    note(
      `Wrote ${agentsFile} with what was found here. Read it, and add what assistants should know.`,
    );
  const named = basename(file) === DEFAULT_MANIFEST && args[0] === undefined ? [] : [file];
  note(
    `Next: open ${file} and replace the ${PLACEHOLDER.slice(0, -1)} with what you want done. Then:`,
  );
  note(`  ${commandLine('plan', ...named)}    # what would run, and what it may cost`);
  note(`  ${commandLine('run', ...named)}     # do it`);
  return EXIT.ok;
}
