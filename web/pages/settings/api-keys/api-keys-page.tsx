// The keys that programs call with.
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from '../../../ui/icons.tsx';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { Card, EmptyState, Loaded, PageHead } from '../../../ui/surface.tsx';
import { Table } from '../../../ui/table.tsx';
import { SecretOnce } from '../../../ui/secret-once.tsx';
import { apiKeyColumns } from './api-key-columns.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';

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
                  <Table
                    label="API keys"
                    columns={apiKeyColumns(setSecret)}
                    rows={shown}
                    keyOf={({ id }) => id}
                  />
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
