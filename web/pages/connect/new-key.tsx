// A key for what is being connected, made here and shown once.
import { useMutation } from '@tanstack/react-query';
import { KeyRound } from '../../ui/icons.tsx';
import type { CreatedApiKey } from '../../../src/contract/api-keys-api.ts';
import { chosenTeam } from '../../api/chosen-team.ts';
import { api } from '../../api/client.ts';
import { useMayWrite } from '../../session/rights.ts';
import { Button } from '../../ui/button.tsx';
import { command } from '../../ui/command.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { Card, CardHead } from '../../ui/surface.tsx';

export function NewKey({
  name,
  created,
  onCreated,
}: {
  name: string;
  created: CreatedApiKey | undefined;
  onCreated: (key: CreatedApiKey) => void;
}) {
  const mayWrite = useMayWrite();
  const teamId = chosenTeam();
  const create = useMutation({
    mutationFn: () =>
      api.apiKeys.create({
        name,
        scopes: ['jobs', 'executions', 'history', 'models'],
        ...(teamId === undefined ? {} : { teamId }),
      }),
    onSuccess: onCreated,
  });
  if (!mayWrite) return null;
  return (
    <Card>
      <CardHead title="API key">
        {created ? null : (
          <Button icon={<KeyRound />} busy={create.isPending} onClick={() => create.mutate()}>
            Create a key
          </Button>
        )}
      </CardHead>
      <div className="flex flex-col gap-3 p-4 text-sm text-soft">
        {created ? (
          <>
            <p className="text-warn">Copy it now: it is not shown again.</p>
            <CopyBlock
              label="API key"
              text={`export MILLRACE_URL=${location.origin}\nexport MILLRACE_API_KEY=${created.key}`}
            />
          </>
        ) : (
          <p>
            The snippets read the key from <code>MILLRACE_API_KEY</code>. With{' '}
            <code>{command('login')}</code> you need none.
          </p>
        )}
      </div>
    </Card>
  );
}
