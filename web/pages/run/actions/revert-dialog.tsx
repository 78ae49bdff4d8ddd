// Takes back what a run wrote: in the project, so this ends in the command for it.
import { CopyBlock } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { command } from '../../../ui/command.ts';
import { AskRunner } from '../../requests/ask-runner.tsx';
import type { RunView } from '../run-context.ts';
import { ownStreams } from './rerun-plan.ts';
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
      lead="Run the command in the project. Every file goes back to what it was before the run."
    >
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap gap-4">
          <TitledList title="Files that go back" items={files} isCode />
          <StreamNames title="Pending again" rows={pending} />
        </div>
        <p className="text-sm text-soft">
          If a file was changed since, nothing is reverted. Add{' '}
          <code className="text-xs">--force</code> to revert it anyway.
        </p>
        <div>
          <AskRunner runId={runId} action="revert" look="danger">
            Revert the changes
          </AskRunner>
          <CopyBlock text={command('revert', runId)} />
        </div>
      </div>
    </Dialog>
  );
}
