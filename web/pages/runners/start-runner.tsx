// How a runner is started: on the machine that it shall be, so this is the command for it.
import { command } from '../../ui/command.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { Monitor } from '../../ui/icons.tsx';
import { EmptyState } from '../../ui/surface.tsx';

export const startCommand = () => command('runner', '--project', '.');

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
