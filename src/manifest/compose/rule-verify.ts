// Commands are run, so they come from the project's package files alone; what a model proposed is dropped and
// named. Every stream has a check where the project has one, narrowed to the tests of its files where the runner can.
import { remark, shortList } from './draft.ts';
import type { Draft, DraftStream, Remark } from './draft.ts';
import { hubKindOf } from './hub-files.ts';
import type { Check, Repository } from './repository.ts';

/** With more, the whole suite says more for the same time. */
const MANY_TESTS = 10;
// Names of files go into a command line: others are never put there.
const PLAIN = /^[\w@+][\w./@+-]*$/;

/** Its own tests, and those that import its files. */
function testsOf({ owns }: DraftStream, repository: Repository): string[] {
  const tests = new Set<string>();
  for (const entry of owns) {
    const existing = repository.filesOf(entry);
    for (const file of existing.length > 0 ? existing : [entry]) {
      if (repository.isTest(file)) tests.add(file);
      for (const importer of repository.importersOf(file)) {
        if (repository.isTest(importer)) tests.add(importer);
      }
    }
  }
  return [...tests].sort();
}

function commandOf(check: Check, tests: readonly string[]): string {
  const canNarrow =
    tests.length > 0 && tests.length <= MANY_TESTS && tests.every((test) => PLAIN.test(test));
  return (canNarrow ? check.narrow?.(tests) : undefined) ?? check.command;
}

/** Streams that nothing comes before, unless it is done already; and those after a change of what is installed. */
function needsSetup({ deps }: DraftStream, draft: Draft, repository: Repository): boolean {
  if (deps.length === 0) return !repository.isSetUp;
  return draft.streams.some(
    ({ id, owns }) =>
      deps.includes(id) && owns.some((entry) => hubKindOf(entry, repository) === 'package'),
  );
}

export function ruleVerify(draft: Draft, repository: Repository): Draft {
  const remarks: Remark[] = [];
  const streams = draft.streams.map((stream): DraftStream => {
    const tests = testsOf(stream, repository);
    const commands = repository.checks.map((check) => commandOf(check, tests));
    const verify = [...new Set(commands)].filter((command) => command.trim() !== '');
    const setup = needsSetup(stream, draft, repository) ? [...repository.setup] : [];
    const known = new Set([...repository.setup, ...verify, ...checkCommands(repository)]);
    const proposed = new Set([...stream.setup, ...stream.verify]);
    const foreign = [...proposed].filter((command) => !known.has(command));
    if (foreign.length > 0) {
      const text = `dropped proposed commands: ${shortList(foreign)}; commands come from package files`;
      remarks.push(remark('verify', text, stream.id));
    }
    return { ...stream, setup, verify };
  });
  return { ...draft, streams, remarks: [...draft.remarks, ...remarks] };
}

const checkCommands = ({ checks }: Repository) => checks.map(({ command }) => command);
