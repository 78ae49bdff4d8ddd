// Links with which anybody may look at the run.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  CreatedRunShare,
  RunShare,
  ShareLife,
} from '../../../../src/contract/run-shares-api.ts';
import { call } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyBlock } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, Field, Select } from '../../../ui/field.tsx';
import { Loaded } from '../../../ui/surface.tsx';
import { Ago } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';

const LIVES: readonly (readonly [ShareLife, string])[] = [
  ['1h', '1 hour'],
  ['1d', '1 day'],
  ['7d', '7 days'],
  ['30d', '30 days'],
];

function Links({ path }: { path: string }) {
  const client = useQueryClient();
  const shares = useQuery({
    queryKey: ['run-shares', path],
    queryFn: () => call<{ items: RunShare[] }>('GET', path),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => call('DELETE', `${path}/${id}`),
    onSuccess() {
      toast('The link was revoked.', 'good');
      return client.invalidateQueries({ queryKey: ['run-shares'] });
    },
  });
  return (
    <Loaded query={shares} rows={2}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="text-sm text-soft">No link works at the moment.</p>
        ) : (
          <ul className="divide-y divide-line rounded-lg border border-line">
            {items.map((share) => (
              <li key={share.id} className="flex items-center gap-3 px-3 py-2 text-xs">
                <div className="min-w-0 flex-1">
                  <div>{share.includeChanges ? 'With changes' : 'Without changes'}</div>
                  <div className="truncate text-soft">
                    {share.createdBy ?? 'A former member'}, expires <Ago time={share.expiresAt} />
                  </div>
                </div>
                <Button
                  size="small"
                  look="danger"
                  busy={revoke.isPending}
                  onClick={() => revoke.mutate(share.id)}
                >
                  Revoke
                </Button>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

export function ShareDialog({
  runId,
  open,
  onOpenChange,
}: {
  runId: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const client = useQueryClient();
  const [expiresIn, setExpiresIn] = useState<ShareLife>('7d');
  const [includeChanges, setIncludeChanges] = useState(false);
  const path = `/api/v1/runs/${encodeURIComponent(runId)}/shares`;
  const share = useMutation({
    mutationFn: () => call<CreatedRunShare>('POST', path, { expiresIn, includeChanges }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['run-shares'] }),
  });
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Share this run"
      lead="Anyone with the link can watch the graph and the timeline. Prompts, answers, commands and their output are never shown."
    >
      <div className="flex flex-col gap-4">
        <Field label="The link works for">
          {(props) => (
            <Select
              {...props}
              value={expiresIn}
              onChange={(event) => setExpiresIn(event.target.value as ShareLife)}
            >
              {LIVES.map(([id, text]) => (
                <option key={id} value={id}>
                  {text}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Checkbox
          label="Also show file names and diffs"
          checked={includeChanges}
          onChange={(event) => setIncludeChanges(event.target.checked)}
        />
        <Button
          look="primary"
          className="self-start"
          busy={share.isPending}
          onClick={() => share.mutate()}
        >
          Create link
        </Button>
        {share.data ? (
          <div>
            <p className="mb-1 text-sm">Copy the link now. It is not shown again.</p>
            <CopyBlock label="link" text={location.origin + share.data.path} />
          </div>
        ) : null}
        <div>
          <h3 className="mb-1.5 text-sm font-medium">Links that work</h3>
          <Links path={path} />
        </div>
      </div>
    </Dialog>
  );
}
