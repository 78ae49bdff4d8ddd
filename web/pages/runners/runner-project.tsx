// A project as one runner has it: what it is on, what runs may do there, and what keeps them from running.
import type { RunnerProject as Project } from '../../../src/contract/runner-api.ts';
import { suggestCommand } from '../../../src/domain/command/suggested-command.ts';
import { plainLaunch } from '../../ui/command.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { PlainText } from '../../ui/plain-text.tsx';

const COMMANDS: Readonly<Record<Project['commands'], string>> = {
  sandbox: 'commands run in the sandbox',
  host: 'commands run on the machine itself',
};

/** For its owner, who types it there: nothing is allowed from a page. */
const allowInPlace = (name: string) =>
  suggestCommand(plainLaunch(), 'runner', 'allow', name, '--in-place');

export function RunnerProject({ project }: { project: Project }) {
  const { name, branch, head, commands, inPlace, missing } = project;
  return (
    <li className="min-w-0 rounded-lg border border-line px-3 py-2.5 text-sm">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
        <span className="font-mono text-xs text-soft [overflow-wrap:anywhere]">
          {branch === null ? null : <PlainText text={branch} />}
          {head === null ? null : ` ${head.slice(0, 10)}`}
        </span>
      </div>
      <p className="mt-0.5 text-xs text-soft">
        Works on branches{inPlace ? ' or in its folder' : ''}; {COMMANDS[commands]}.
      </p>
      {missing.map(({ what, remedy }) => (
        <div key={what} className="mt-2">
          <p className="text-xs text-warn">
            Missing: <PlainText text={what} />
          </p>
          {remedy === null ? null : (
            <div className="mt-1">
              <CopyBlock label={`What would help ${name}`} text={remedy} />
            </div>
          )}
        </div>
      ))}
      {inPlace ? null : (
        <details className="mt-1.5 text-xs text-soft">
          <summary>Allow work in its folder</summary>
          <p className="mt-1.5 mb-1">For the owner, on the machine of the runner:</p>
          <CopyBlock label={`Command that allows work in ${name}`} text={allowInPlace(name)} />
        </details>
      )}
    </li>
  );
}
