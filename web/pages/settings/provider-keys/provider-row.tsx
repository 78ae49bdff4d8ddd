import { CircleCheck, CircleX, KeyRound } from '../../../ui/icons.tsx';
import { useState } from 'react';
import type { ProviderKey } from '../../../../src/contract/keys-api.ts';
import { api } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Ago } from '../../../ui/time.tsx';
import { useChange } from '../use-change.ts';
import type { KeyOwner } from './provider-keys-page.tsx';
import type { ProviderInfo } from './providers.ts';

const optionsOf = (owner: KeyOwner) => (owner === 'team' ? { owner } : {});

function TestResult({ name, result }: { name: string; result: Tested }) {
  const { valid, reason } = result;
  const Icon = valid ? CircleCheck : CircleX;
  // A provider that could not be asked says nothing about the key.
  const text = valid
    ? reason === undefined
      ? `${name} accepts this key.`
      : `Could not test the key: ${reason}. It worked when it was last tested.`
    : `${name} does not accept this key: ${reason ?? 'rejected'}. Replace it.`;
  return (
    <p
      role="status"
      className={`flex w-full items-center gap-1.5 text-sm ${valid ? 'text-good' : 'text-bad'}`}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      {text}
    </p>
  );
}

interface Tested {
  valid: boolean;
  reason?: string | undefined;
}

function StoredActions({
  provider,
  owner,
  onReplace,
  onTested,
}: {
  provider: ProviderInfo;
  owner: KeyOwner;
  onReplace: () => void;
  onTested: (result: Tested) => void;
}) {
  const [asking, setAsking] = useState(false);
  const test = useChange({
    change: () => api.testProviderKey(provider.id, optionsOf(owner)),
    stale: [],
    onDone: onTested,
  });
  const remove = useChange({
    change: () => api.deleteProviderKey(provider.id, optionsOf(owner)),
    stale: ['provider-keys'],
    said: () => `The ${provider.name} key was deleted.`,
    onDone: () => setAsking(false),
  });
  return (
    <>
      <Button size="small" busy={test.isPending} onClick={() => test.mutate(undefined)}>
        {test.isPending ? 'Testing' : 'Test'}
      </Button>
      <Button size="small" onClick={onReplace}>
        Replace
      </Button>
      <Button size="small" look="danger" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={`Delete the ${provider.name} key?`}
        action="Delete the key"
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
      >
        Jobs for {provider.name} models fail from now on, unless there is another key. Jobs that are
        running finish.
      </ConfirmDialog>
    </>
  );
}

export function ProviderRow({
  provider,
  owner,
  stored,
  mayChange,
  onAdd,
}: {
  provider: ProviderInfo;
  owner: KeyOwner;
  stored: ProviderKey | undefined;
  mayChange: boolean;
  onAdd: () => void;
}) {
  const [result, setResult] = useState<Tested>();
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <div
        aria-hidden
        className="flex size-8 shrink-0 items-center justify-center rounded-lg bg-sunken text-faint"
      >
        <KeyRound className="size-4" />
      </div>
      <div className="min-w-0 flex-1 basis-40">
        <h3 className="text-sm font-medium">{provider.name}</h3>
        <p className="truncate text-xs text-soft">
          {stored ? (
            <>
              <span className="font-mono">{stored.maskedKey}</span> · added{' '}
              <Ago time={stored.createdAt} />
            </>
          ) : (
            <>
              Not set · for <span className="font-mono">{provider.models}</span>
            </>
          )}
        </p>
      </div>
      {mayChange ? (
        <div className="flex gap-2" role="group" aria-label={`${provider.name} key`}>
          {stored ? (
            <StoredActions
              provider={provider}
              owner={owner}
              onReplace={onAdd}
              onTested={setResult}
            />
          ) : (
            <Button size="small" onClick={onAdd}>
              Add key
            </Button>
          )}
        </div>
      ) : null}
      {stored && result ? <TestResult name={provider.name} result={result} /> : null}
    </li>
  );
}
