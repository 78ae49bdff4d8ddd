import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { Checkbox, Field, Input } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { problemOf, useChange } from '../use-change.ts';
import type { KeyOwner } from './provider-keys-page.tsx';
import type { ProviderInfo } from './providers.ts';

export function AddKeyDialog({
  provider,
  owner,
  onClose,
}: {
  provider: ProviderInfo;
  owner: KeyOwner;
  onClose: () => void;
}) {
  const [key, setKey] = useState('');
  const [tosAccepted, setAccepted] = useState(false);
  const { name } = provider;
  const store = useChange({
    change: () =>
      call<{ valid: boolean }>('POST', '/api/v1/keys', {
        provider: provider.id,
        key,
        tosAccepted,
        owner,
      }),
    stale: ['provider-keys'],
    said: ({ valid }) =>
      valid
        ? `${name} accepts the key. It is stored.`
        : `The key is stored. ${name} could not be reached to test it; it is tested on first use.`,
    onDone: onClose,
  });
  return (
    <FormDialog
      title={`${name} key`}
      lead={owner === 'team' ? 'Every member can run jobs with it. Nobody can read it.' : undefined}
      action={store.isPending ? 'Testing the key' : 'Test and store'}
      busy={store.isPending}
      disabled={!tosAccepted || key.trim() === ''}
      onClose={onClose}
      onSubmit={() => store.mutate(undefined)}
    >
      <Field
        label="API key"
        hint="Tested with the provider before it is stored, which can take 10 seconds."
        problem={problemOf(store.error, 'key')}
      >
        {(props) => (
          <Input
            {...props}
            type="password"
            autoComplete="off"
            placeholder={provider.keyHint}
            required
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        )}
      </Field>
      <Checkbox
        label={`Millrace may call ${name} with this key on my behalf. I pay ${name} for what it uses.`}
        checked={tosAccepted}
        onChange={(event) => setAccepted(event.target.checked)}
      />
    </FormDialog>
  );
}
