// How a runner is started: on the machine that it shall be, so this is the command for it.
import { command } from '../../ui/command.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { Monitor } from '../../ui/frame-icons.tsx';
import { EmptyState } from '../../ui/surface.tsx';

/** `project`: what it must be called there. */
export const startCommand = (project?: string) =>
  command('runner', '--project', project === undefined ? '.' : `.=${project}`);

/** Of a project that other runners have, or had. */
export function NotConnected({ project }: { project: string }) {
  return (
    <div role="status" className="flex flex-col gap-2 text-sm">
      <p className="text-warn">
        None of its runners takes runs now: what is asked for waits until one does. Start one in the
        folder of the project:
      </p>
      <CopyBlock
        label={`Command that starts a runner of ${project}`}
        text={startCommand(project)}
      />
    </div>
  );
}

export function NoRunners() {
  return (
    <EmptyState icon={<Monitor />} title="No runners yet">
      <p>
        A runner makes the runs that your team asks for here, with the projects of its machine.
        Start one in the folder of a repository:
      </p>
      <div className="w-[36rem] max-w-full text-left">
        <CopyBlock label="Command that starts a runner" text={startCommand()} />
      </div>
    </EmptyState>
  );
}
