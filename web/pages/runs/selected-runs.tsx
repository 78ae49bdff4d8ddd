// What can be done with the runs that are selected.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { GitCompare, Square, X } from '../../ui/icons.tsx';
import { useState } from 'react';
import type { RunSummary } from '../../../src/contract/history-api.ts';
import { api } from '../../api/client.ts';
import { useMayWrite } from '../../session/rights.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { plural } from '../../ui/format.ts';
import { toast } from '../../ui/toast.tsx';

export function SelectedRuns({
  runs,
  onClear,
}: {
  runs: readonly RunSummary[];
  onClear: () => void;
}) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const mayWrite = useMayWrite();
  const [isAsking, setAsking] = useState(false);
  const open = runs.filter(({ status }) => status === 'in_progress' || status === 'pending');
  const cancel = useMutation({
    mutationFn: async () => {
      const ends = await Promise.all(open.map(({ id }) => api.cancelRun(id)));
      return ends.filter(({ cancelled }) => cancelled).length;
    },
    onSuccess(count) {
      setAsking(false);
      onClear();
      toast(
        count > 0 ? `${plural(count, 'run')} being stopped.` : 'There was nothing left to stop.',
      );
      return client.invalidateQueries({ queryKey: ['runs'] });
    },
  });
  const [first, second] = runs.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  return (
    <div
      role="region"
      aria-label="Selected runs"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-accent-soft px-3 py-2 text-sm"
    >
      <span className="font-medium tabular">{runs.length} selected</span>
      <Button
        size="small"
        icon={<GitCompare />}
        disabled={runs.length !== 2}
        title={runs.length === 2 ? undefined : 'Select two runs to compare them'}
        onClick={() => void navigate({ to: '/compare', search: { a: first!.id, b: second!.id } })}
      >
        Compare
      </Button>
      {mayWrite ? (
        <Button
          size="small"
          look="danger"
          icon={<Square />}
          disabled={open.length === 0}
          onClick={() => setAsking(true)}
        >
          Cancel {open.length > 0 ? open.length : ''} running
        </Button>
      ) : null}
      <Button size="small" look="ghost" icon={<X />} className="ml-auto" onClick={onClear}>
        Clear
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={`Cancel ${plural(open.length, 'run')}?`}
        action={`Cancel ${plural(open.length, 'run')}`}
        busy={cancel.isPending}
        onConfirm={() => cancel.mutate()}
      >
        Calls that are under way are stopped; what they have used so far is charged. Streams that
        are complete stay applied. Each run can be resumed where it was started.
      </ConfirmDialog>
    </div>
  );
}
