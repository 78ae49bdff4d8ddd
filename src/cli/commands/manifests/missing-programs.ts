// Commands of streams whose first word is no program on this machine.
import { commandsOfStream, firstWordOf, missingPrograms } from '../../../orchestrator/index.ts';
import type { Manifest } from '../../../manifest/model.ts';
import type { Problem } from '../../../manifest/problem.ts';

/** One problem for each program, with the first of these streams that needs it. */
export async function findMissingPrograms(
  manifest: Manifest,
  ids: Iterable<string>,
  place: { root: string; env: NodeJS.ProcessEnv },
): Promise<Problem[]> {
  const commands = [...ids].flatMap((id) =>
    commandsOfStream(manifest.streams.get(id)!).map((command) => ({ id, command })),
  );
  const missing = await missingPrograms(
    commands.map(({ command }) => command),
    place,
  );
  return commands.flatMap(({ id, command }): Problem[] => {
    const word = firstWordOf(command);
    if (word === undefined || !missing.delete(word)) return [];
    return [
      {
        severity: 'warning',
        code: 'COMMAND_NOT_FOUND',
        message: `${id} runs "${command}", but ${word} was not found on this machine.`,
        hint: `Install ${word}, or change the command in the manifest.`,
        path: `streams.${id}`,
        line: 1,
        column: 1,
      },
    ];
  });
}

/** A setup may install what later commands need. */
export function mayInstall(manifest: Manifest): boolean {
  return [...manifest.streams.values()].some(
    (stream) => 'setup' in stream && stream.setup.length > 0,
  );
}
