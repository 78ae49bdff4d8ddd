// The runners of a team, and what they can work on.
import type { MillraceClient } from '../../../client/index.ts';
import type { Project, Runner } from '../../../contract/runner-api.ts';
import { CommandError, usageError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import type { CommandOptions } from '../../command.ts';
import { openClient } from '../../open-client.ts';
import { showList } from '../../show-list.ts';
import { showOutcome } from '../../show-outcome.ts';
import { plain } from '../../terminal/plain-text.ts';

const namesOf = (things: readonly { name: string }[]) =>
  plain(things.map(({ name }) => name).join(', ')) || '-';

export async function listRunners(options: CommandOptions): Promise<number> {
  const document = await (await openClient(options)).runners.list();
  return showList<Runner>(options, {
    document,
    rows: document.items,
    empty: `There are no runners. Start one in a project: ${commandLine('runner', '--project', '.')}`,
    columns: [
      { head: 'NAME', text: ({ name }) => plain(name) },
      {
        head: 'STATE',
        text: ({ state, isDraining }) =>
          state === 'away' && isDraining ? 'away, draining' : state,
      },
      { head: 'RUNS', text: ({ running, concurrency }) => `${running.length}/${concurrency}` },
      {
        head: 'VERSION',
        text: ({ version, isOutdated }) => version + (isOutdated ? ' (old)' : ''),
      },
      { head: 'OWNER', text: ({ owner }) => plain(owner.email) },
      { head: 'PROJECTS', text: ({ projects }) => namesOf(projects), isFlexible: true },
    ],
  });
}

export async function listProjects(options: CommandOptions): Promise<number> {
  const document = await (await openClient(options)).runners.projects();
  return showList<Project>(options, {
    document,
    rows: document.items,
    empty: `There are no projects. Start a runner with one: ${commandLine('runner', '--project', '.')}`,
    columns: [
      { head: 'NAME', text: ({ name }) => plain(name) },
      { head: 'WAITING', text: ({ queued }) => String(queued) },
      { head: 'RUNNING', text: ({ running }) => String(running) },
      { head: 'BRANCH', text: ({ runners }) => plain(runners[0]?.branch ?? '-') },
      { head: 'RUNNERS', text: ({ runners }) => namesOf(runners), isFlexible: true },
    ],
  });
}

async function findRunner(client: MillraceClient, asked: string): Promise<Runner> {
  const { items } = await client.runners.list();
  const found = items.filter(({ id, name }) => id === asked || name === asked);
  if (found.length === 1) return found[0]!;
  const which = plain(asked);
  throw new CommandError({
    code: 'NOT_FOUND',
    message:
      found.length > 1
        ? `${found.length} runners are called ${which}. Use the id of one.`
        : `There is no runner "${which}".`,
    hint: `List them with: ${commandLine('runner', 'list', '--json')}`,
  });
}

export async function drainRunner(
  options: CommandOptions,
  [asked = '']: string[],
): Promise<number> {
  const client = await openClient(options);
  const { id } = await findRunner(client, asked);
  const runner = await client.runners.setDraining(id, options['off'] !== true);
  const what = options['off'] === true ? 'takes requests again' : 'takes nothing new';
  return showOutcome(options, { document: runner, text: `${plain(runner.name)} ${what}.` });
}

export async function removeRunner(
  options: CommandOptions,
  [asked = '']: string[],
): Promise<number> {
  const client = await openClient(options);
  const { id, name } = await findRunner(client, asked);
  const document = await client.runners.remove(id);
  return showOutcome(options, { document, text: `${plain(name)} was removed.` });
}

export async function limitProject(
  options: CommandOptions,
  [name = '', given = '']: string[],
): Promise<number> {
  const limit = given === 'none' ? null : Number(given);
  if (limit !== null && !(Number.isInteger(limit) && limit > 0)) {
    throw usageError(`"${plain(given)}" is no limit`, 'Write a number above 0, or none.');
  }
  const document = await (await openClient(options)).runners.setMaxRunning(name, limit);
  const many =
    limit === null ? 'as many runs at a time as there is room for' : `${limit} at a time`;
  return showOutcome(options, { document, text: `${plain(name)}: ${many}.` });
}
