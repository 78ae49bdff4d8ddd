// Takes back what a run wrote: in the project, by its runner or by a command.
import { Dialog } from '../../../ui/dialog.tsx';
import { command } from '../../../ui/command.ts';
import { AskRunner } from '../../requests/ask-runner.tsx';
import { useMaker } from '../../requests/use-maker.ts';
import type { RunView } from '../run-context.ts';
import { branchOf, ownStreams } from './rerun-plan.ts';
import { StreamNames } from './stream-names.tsx';
import { TitledList } from './titled-list.tsx';

export function RevertDialog({
  view: { runId, store },
  open,
  onOpenChange,
}: {
  view: RunView;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { projection } = store;
  const branch = branchOf(store);
  const maker = useMaker(runId);
  const how = maker === undefined ? 'Run the command in the project. ' : '';
  const all = [...projection.streams.values()];
  const files = [...new Set(all.flatMap(({ changes }) => changes.map(({ path }) => path)))];
  const pending = ownStreams(projection).filter(
    ({ status, attempt, fixes }) => status === 'complete' && (attempt > 0 || fixes.length > 0),
  );
  return (
    <Dialog
      wide
      open={open}
      onOpenChange={onOpenChange}
      title="Revert the changes of this run"
      lead={
        branch === undefined
          ? `${how}Every file goes back to what it was before the run.`
          : `${how}The branch ${branch} is deleted; the other files of the project are as they were.`
      }
    >
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap gap-4">
          <TitledList title="Files that go back" items={files} isCode />
          <StreamNames title="Pending again" rows={pending} />
        </div>
        {branch === undefined ? (
          <p className="text-sm text-soft">
            If a file was changed since, nothing is reverted.
            {maker === undefined ? (
              <>
                {' '}
                Add <code className="text-xs">--force</code> to revert it anyway.
              </>
            ) : null}
          </p>
        ) : null}
        <AskRunner
          work={{ run: { id: runId, action: 'revert' } }}
          command={command('revert', runId, ...(branch === undefined ? [] : ['--delete-branch']))}
          look="danger"
        >
          Revert the changes
        </AskRunner>
      </div>
    </Dialog>
  );
}
