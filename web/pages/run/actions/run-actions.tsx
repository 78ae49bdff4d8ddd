// What can be done with a run: cancel, run again, fork, share, revert, take it elsewhere.
import { useMutation } from '@tanstack/react-query';
import { GitFork, RotateCw } from '../../../ui/frame-icons.tsx';
import {
  Code,
  ExternalLink,
  EllipsisVertical,
  GitCompare,
  GitPullRequest,
  Share2,
  Square,
  Undo2,
  Wrench,
} from '../../../ui/icons.tsx';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { Button, IconButton, buttonClass } from '../../../ui/button.tsx';
import { CopyBlock } from '../../../ui/copy.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useAskRunner } from '../../requests/ask-runner.tsx';
import type { RunView } from '../run-context.ts';
import { snippetsOf } from './copy-as.ts';
import { isPage } from '../../requests/is-page.ts';
import { ForkDialog } from './fork-dialog.tsx';
import { RerunDialog } from './rerun-dialog.tsx';
import { branchOf } from './rerun-plan.ts';
import { RevertDialog } from './revert-dialog.tsx';
import { ShareDialog } from './share-dialog.tsx';

type Opened = 'cancel' | 'rerun' | 'fork' | 'share' | 'revert' | 'copy' | undefined;

function CancelDialog({
  runId,
  open,
  onClose,
}: {
  runId: string;
  open: boolean;
  onClose: () => void;
}) {
  const cancel = useMutation({
    mutationFn: () => api.cancelRun(runId),
    onSuccess({ cancelled }) {
      onClose();
      toast(cancelled ? 'The run is being stopped.' : 'There was nothing left to stop.');
    },
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onClose}
      title="Cancel this run?"
      action="Cancel the run"
      busy={cancel.isPending}
      onConfirm={() => cancel.mutate()}
    >
      Calls that are under way are stopped; what they have used so far is charged. Streams that are
      complete stay applied. The run can be resumed where it was started.
    </ConfirmDialog>
  );
}

export interface RunActionsProps {
  view: RunView;
  isGoing: boolean;
  mayWrite: boolean;
}

export function RunActions({ view, isGoing, mayWrite }: RunActionsProps) {
  const { runId, store } = view;
  const navigate = useNavigate();
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const { maker, ask } = useAskRunner(runId);
  const maySend = maker?.isConnected === true && branchOf(store) !== undefined;
  const pullRequest = isPage(maker?.pullRequest) ? maker?.pullRequest : undefined;
  const isReported = store.events.length > 0;
  const changed = [...store.projection.streams.values()].some(({ changes }) => changes.length > 0);
  return (
    <>
      {isGoing && mayWrite ? (
        <Button look="danger" icon={<Square />} onClick={() => setOpened('cancel')}>
          Cancel
        </Button>
      ) : null}
      {/* While it runs, the project belongs to its command line. */}
      {isReported && mayWrite && !isGoing ? (
        <Button icon={<RotateCw />} onClick={() => setOpened('rerun')}>
          Run again
        </Button>
      ) : null}
      {pullRequest === undefined ? null : (
        <a href={pullRequest} rel="noreferrer" target="_blank" className={buttonClass()}>
          <ExternalLink aria-hidden />
          Open the pull request
        </a>
      )}
      {isReported && mayWrite ? (
        <Button icon={<Share2 />} onClick={() => setOpened('share')}>
          Share
        </Button>
      ) : null}
      <Menu
        trigger={
          <IconButton name="More">
            <EllipsisVertical />
          </IconButton>
        }
        items={[
          {
            label: 'Compare with another run',
            icon: <GitCompare />,
            onSelect: () => void navigate({ to: '/compare', search: { a: runId } }),
          },
          { label: 'Copy as code', icon: <Code />, onSelect: () => setOpened('copy') },
          ...(isReported && mayWrite
            ? [
                {
                  label: 'Fork',
                  icon: <GitFork />,
                  disabled: isGoing,
                  onSelect: () => setOpened('fork'),
                },
                {
                  label: 'Revert changes',
                  icon: <Undo2 />,
                  disabled: !changed || isGoing,
                  onSelect: () => setOpened('revert'),
                },
                ...(maySend
                  ? [
                      {
                        label:
                          pullRequest === undefined ? 'Pull request' : 'Update the pull request',
                        icon: <GitPullRequest />,
                        disabled: isGoing || ask.isPending,
                        onSelect: () => ask.mutate({ run: { id: runId, action: 'request' } }),
                      },
                      {
                        label: 'Fix the pull request',
                        icon: <Wrench />,
                        disabled: isGoing || ask.isPending,
                        onSelect: () => ask.mutate({ run: { id: runId, action: 'fix' } }),
                      },
                    ]
                  : []),
              ]
            : []),
        ]}
      />
      <CancelDialog runId={runId} open={opened === 'cancel'} onClose={close} />
      {opened === 'rerun' ? <RerunDialog view={view} open onOpenChange={close} /> : null}
      {opened === 'share' ? <ShareDialog runId={runId} open onOpenChange={close} /> : null}
      {opened === 'fork' ? (
        <ForkDialog view={view} hasChanges={changed} open onOpenChange={close} />
      ) : null}
      {opened === 'revert' ? <RevertDialog view={view} open onOpenChange={close} /> : null}
      <Dialog open={opened === 'copy'} onOpenChange={close} title="Copy as code">
        <div className="flex flex-col gap-3">
          {snippetsOf(runId, location.origin).map(({ label, text }) => (
            <div key={label} className="min-w-0">
              <h3 className="mb-1 text-xs font-medium text-faint">{label}</h3>
              <CopyBlock label={label} text={text} />
            </div>
          ))}
        </div>
      </Dialog>
    </>
  );
}
