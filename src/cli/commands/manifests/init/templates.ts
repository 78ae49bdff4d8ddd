// Manifests to start from. Their comments are the first documentation a user reads.
import { PLACEHOLDER } from '../../../../manifest/placeholder.ts';
import { EVERYTHING } from '../../../../project/scan-project.ts';
import type { ProjectScan } from '../../../../project/scan-project.ts';

export const TEMPLATES = ['basic', 'feature', 'workflow'] as const;
export type Template = (typeof TEMPLATES)[number];

export interface TemplateInput {
  name: string;
  scan: ProjectScan;
  /** ISO time of its creation. */
  created: string;
  /** Where editors find the schema, relative to the manifest. */
  schema: string;
}

/** Quoted as JSON, which is YAML as well, wherever a plain word would not do. */
function scalar(text: string): string {
  const isPlain =
    /^[A-Za-z][\w./-]*$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}

function list(entries: readonly string[]): string {
  return `[${entries.map(scalar).join(', ')}]`;
}

/** `verify`, or a comment in its place when nothing is known that could check the work here. */
function verifyLine({ verify, notHere }: ProjectScan, indent: string): string {
  if (verify.length > 0) return `${indent}verify: ${list(verify)}`;
  if (notHere.length > 0) {
    return `${indent}# verify: ${list(notHere)}    # not found on this machine`;
  }
  return `${indent}# verify: [npm test]    # commands that check the result`;
}

/** A stream that may look anywhere needs no list. */
function readsLines(source: string, comment = ''): string {
  return source === EVERYTHING ? '' : `${comment}    reads: ${list([source])}\n`;
}

function basic({ name, scan, created }: TemplateInput): string {
  const source = scan.owned;
  return `# What Millrace should do in this project, in streams. Check the file with
# "millrace validate", see order and cost with "millrace plan", start it with "millrace run".
feature: ${scalar(name)}
created: "${created}"
# model: claude-opus-5-5    # used by streams that name no model

streams:
  # The id of the stream; other streams name it in deps.
  first-change:
    name: A first change
    # Files it writes: a file, a folder/ with everything in it, or a glob.
    owns: ${list([source])}
    # Files it sees but does not write. With more than 4, a timeout is likely.
    # reads: [README.md]
    # What the model should do.
    plan: |
      ${PLACEHOLDER} say what to change${source === EVERYTHING ? '' : ` in ${source}`}, and how to tell that it is done.
    # Commands to run before (setup) and after (verify) the change, in the project root.
${verifyLine(scan, '    ')}
    # timeoutMs: 600000
`;
}

function feature({ name, scan, created }: TemplateInput): string {
  const source = scan.owned;
  const tests = scan.tests[0] ?? 'test/';
  const docs = scan.docs[0] ?? 'docs/';
  return `# A feature in streams. A stream starts when all streams in its deps are complete; streams
# that own the same files never run at the same time. Check the file with
# "millrace validate", see order and cost with "millrace plan", start it with "millrace run".
feature: ${scalar(name)}
created: "${created}"
# model: claude-opus-5-5    # used by streams that name no model

streams:
  # The id of the stream; other streams name it in deps.
  implement:
    name: Write the feature
    # Files it writes: a file, a folder/ with everything in it, or a glob.
    owns: ${list([source])}
    plan: |
      ${PLACEHOLDER} describe the feature: what it does, and what it must not break.
    # Commands to run before (setup) and after (verify) the change, in the project root.
${verifyLine(scan, '    ')}

  tests:
    name: Write its tests
    deps: [implement]
    owns: ${list([tests])}
${readsLines(source, '    # Files it sees but does not write. With more than 4, a timeout is likely.\n')}    plan: |
      Write tests for the feature: the usual way, the limits, and bad input.
${verifyLine(scan, '    ')}

  docs:
    name: Document it
    deps: [implement]
    # Skipped, not failed, when a stream in its deps fails.
    optional: true
    owns: ${list([docs])}
${readsLines(source)}    plan: |
      Document the feature for its users.
`;
}

function workflow({ name, scan }: TemplateInput): string {
  const files = [scan.owned, ...scan.tests.slice(0, 1)];
  const commands = scan.verify.map(
    (command) => `      - command: ${scalar(command)}\n        critical: true`,
  );
  const checks =
    commands.length > 0
      ? `    commands:\n${commands.join('\n')}`
      : `    # commands:\n    #   - command: ${scan.notHere[0] ?? 'npm test'}\n    #     critical: true`;
  return `# A workflow: streams without dependencies, which may all run at once. Check the file with
# "millrace validate", see the cost with "millrace plan", start it with "millrace run".
name: ${scalar(name)}
version: 1.0.0
description: What this workflow does
# model: claude-opus-5-5    # used by streams that name no model

streams:
  # The id of the stream.
  review:
    description: Review the sources
    # What the model should do.
    plan: |
      ${PLACEHOLDER} say what to do, for example: find unused exports and remove them.
    context:
      # Files, folders or globs that the model sees.
      files: ${list(files)}
      # minimal: these files; moderate: also what they import; comprehensive: the whole project.
      depth: moderate
    # Checks to run afterwards, in the project root. If a critical one fails, the run fails.
${checks}
    constraints:
      timeout: 600000
      requireTests: false
`;
}

const WRITERS: Record<Template, (input: TemplateInput) => string> = { basic, feature, workflow };

export function writeTemplate(template: Template, input: TemplateInput): string {
  return `# yaml-language-server: $schema=${input.schema}\n${WRITERS[template](input)}`;
}
