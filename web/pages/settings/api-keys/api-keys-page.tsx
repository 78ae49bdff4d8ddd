// The keys that programs call with.
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../../../../src/contract/api-keys-api.ts';
import { api } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { Card, EmptyState, Loaded, PageHead } from '../../../ui/surface.tsx';
import { Table, Th } from '../../../ui/table.tsx';
import { SecretOnce } from '../secret-once.tsx';
import { ApiKeyRow } from './api-key-row.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';

function KeyTable({
  items,
  onRotated,
}: {
  items: readonly ApiKey[];
  onRotated: (key: string) => void;
}) {
  return (
    <Table label="API keys">
      <thead>
        <tr>
          <Th>Key</Th>
          <Th>Scopes</Th>
          <Th>Last used</Th>
          <Th>Expires</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {items.map((key) => (
          <ApiKeyRow key={key.id} apiKey={key} onRotated={onRotated} />
        ))}
      </tbody>
    </Table>
  );
}

export function ApiKeysPage() {
  const [creating, setCreating] = useState(false);
  const [withEnded, setWithEnded] = useState(false);
  const [secret, setSecret] = useState<string>();
  const keys = useQuery({
    queryKey: ['api-keys'],
    queryFn: ({ signal }) => api.apiKeys.list({ signal }),
  });
  const create = (
    <Button look="primary" icon={<Plus />} onClick={() => setCreating(true)}>
      Create API key
    </Button>
  );
  return (
    <>
      <PageHead
        title="API keys"
        lead="For programs, the command line and CI. A key acts as you, with the scopes that you give it."
      >
        {create}
      </PageHead>
      <Card>
        <Loaded query={keys}>
          {({ items }) => {
            const shown = items.filter((key) => withEnded || key.status === 'active');
            const ended = items.filter((key) => key.status !== 'active').length;
            return (
              <>
                {shown.length === 0 ? (
                  <EmptyState icon={<KeyRound />} title="No API keys yet">
                    <p>Create one and set it as MILLRACE_API_KEY where your program runs.</p>
                  </EmptyState>
                ) : (
                  <KeyTable items={shown} onRotated={setSecret} />
                )}
                {ended > 0 ? (
                  <div className="border-t border-line px-4 py-2.5">
                    <Checkbox
                      label={`Show expired and revoked keys (${ended})`}
                      checked={withEnded}
                      onChange={(event) => setWithEnded(event.target.checked)}
                    />
                  </div>
                ) : null}
              </>
            );
          }}
        </Loaded>
      </Card>
      {creating ? (
        <CreateKeyDialog
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreating(false);
            setSecret(key);
          }}
        />
      ) : null}
      <SecretOnce
        title="Your API key"
        label="API key"
        lead="Send it as the X-API-Key header, or set it as MILLRACE_API_KEY."
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </>
  );
}
