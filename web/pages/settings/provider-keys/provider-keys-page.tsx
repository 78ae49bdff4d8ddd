// Keys of model providers: one's own, which jobs use first, and those of the team.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProviderKey } from '../../../../src/contract/keys-api.ts';
import { api } from '../../../api/client.ts';
import { useMe } from '../../../session/me.ts';
import { useMayWrite } from '../../../session/rights.ts';
import { Card, CardHead, Loaded, PageHead } from '../../../ui/surface.tsx';
import { useMay } from '../../../session/rights.ts';
import { AddKeyDialog } from './add-key-dialog.tsx';
import { ProviderRow } from './provider-row.tsx';
import { PROVIDERS } from './providers.ts';
import type { ProviderInfo } from './providers.ts';

export type KeyOwner = 'personal' | 'team';

function KeyList({
  owner,
  title,
  keys,
  mayChange,
}: {
  owner: KeyOwner;
  title: string;
  keys: readonly ProviderKey[];
  mayChange: boolean;
}) {
  const [adding, setAdding] = useState<ProviderInfo>();
  return (
    <Card className="mb-6">
      <CardHead title={title} />
      <ul>
        {PROVIDERS.map((provider) => (
          <ProviderRow
            key={provider.id}
            provider={provider}
            owner={owner}
            stored={keys.find((key) => key.provider === provider.id)}
            mayChange={mayChange}
            onAdd={() => setAdding(provider)}
          />
        ))}
      </ul>
      {adding ? (
        <AddKeyDialog provider={adding} owner={owner} onClose={() => setAdding(undefined)} />
      ) : null}
    </Card>
  );
}

export function ProviderKeysPage() {
  const { data: me } = useMe();
  const mayWrite = useMayWrite();
  const mayManage = useMay('manage');
  const keys = useQuery({
    queryKey: ['provider-keys'],
    queryFn: ({ signal }) => api.listProviderKeys({ signal }),
  });
  return (
    <>
      <PageHead
        title="Provider keys"
        lead="Millrace calls models with your own keys. They are stored encrypted and never shown again; jobs use your key first, then the team's."
      />
      <Loaded query={keys}>
        {({ keys: all }) => (
          <>
            <KeyList
              owner="personal"
              title="Your keys"
              keys={all.filter((key) => key.owner === undefined)}
              mayChange={mayWrite}
            />
            <KeyList
              owner="team"
              title={me?.team.name ? `Team keys, for everyone in ${me.team.name}` : 'Team keys'}
              keys={all.filter((key) => key.owner === 'team')}
              mayChange={mayManage}
            />
          </>
        )}
      </Loaded>
    </>
  );
}
