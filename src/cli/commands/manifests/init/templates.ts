// Manifests to start from. Their comments are the first documentation somebody reads.
import type { ProjectScan } from './scan.ts';

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

/** `verify`, or a comment in its place when nothing is known that could check the work. */
function verifyLine(commands: readonly string[], indent: string): string {
  if (commands.length > 0) return `${indent}verify: ${list(commands)}`;
  return `${indent}# verify: [npm test]    # commands that check the result`;
}

function basic({ name, scan, created }: TemplateInput): string {
  const source = scan.sources[0] ?? 'src/';
  return `# Streams of work for Millrace. Check with "millrace validate", look at the order and
# the cost with "millrace plan".
feature: ${scalar(name)}
created: "${created}"
# model: claude-opus-4-8    # for streams that name none of their own

streams:
  # The key is the id of the stream: others name it in deps.
  first-change:
    name: A first change
    # Files it writes: a file, a folder/ with everything in it, or a glob.
    owns: ${list([source])}
    # Files it is shown and does not write. More than 4 make a time-out likely.
    # reads: [README.md]
    # What to do, for the model.
    plan: |
      Describe here what to change in ${source} and how one can tell that it is done.
    # Commands run before (setup) and after (verify) the change, in the project's root.
${verifyLine(scan.verify, '    ')}
    # timeoutMs: 600000
`;
}

function feature({ name, scan, created }: TemplateInput): string {
  const source = scan.sources[0] ?? 'src/';
  const tests = scan.tests[0] ?? 'test/';
  const docs = scan.docs[0] ?? 'docs/';
  return `# A feature in streams. A stream starts as soon as all streams in its deps are complete;
# streams that own the same files never run at the same time.
# Check with "millrace validate", look at the order and the cost with "millrace plan".
feature: ${scalar(name)}
created: "${created}"
# model: claude-opus-4-8    # for streams that name none of their own

streams:
  # The key is the id of the stream: others name it in deps.
  implement:
    name: Write the feature
    # Files it writes: a file, a folder/ with everything in it, or a glob.
    owns: ${list([source])}
    plan: |
      Describe the feature here: what it does, and what it must not break.
    # Commands run before (setup) and after (verify) the change, in the project's root.
${verifyLine(scan.verify, '    ')}

  tests:
    name: Write its tests
    deps: [implement]
    owns: ${list([tests])}
    # Files it is shown and does not write. More than 4 make a time-out likely.
    reads: ${list([source])}
    plan: |
      Write tests for the feature: the usual way, the limits, and bad input.
${verifyLine(scan.verify, '    ')}

  docs:
    name: Describe it
    deps: [implement]
    # It may be skipped when a stream that it waits for failed.
    optional: true
    owns: ${list([docs])}
    reads: ${list([source])}
    plan: |
      Describe the feature for those who use it.
`;
}

function workflow({ name, scan }: TemplateInput): string {
  const files = [scan.sources[0] ?? 'src/', ...scan.tests.slice(0, 1)];
  const commands = scan.verify.map(
    (command) => `      - command: ${scalar(command)}\n        critical: true`,
  );
  const checks =
    commands.length > 0
      ? `    commands:\n${commands.join('\n')}`
      : '    # commands:\n    #   - command: npm test\n    #     critical: true';
  return `# A workflow for Millrace: streams without dependencies, all of which may run at once.
# Check with "millrace validate", look at the cost with "millrace plan".
name: ${scalar(name)}
version: 1.0.0
description: What this workflow is for
# model: claude-opus-4-8    # for streams that name none of their own

streams:
  # The key is the id of the stream.
  review:
    description: Review the sources
    # What to do, for the model.
    plan: |
      Read the sources and mend what is wrong, one small change at a time.
    context:
      # Files, folders or globs that the model is shown.
      files: ${list(files)}
      # minimal: these files; moderate: and what they use; comprehensive: the whole project.
      depth: minimal
    # Checks that run afterwards, in the project's root. A critical one that fails fails the run.
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
