import { useState } from 'react';
import { SCOPES } from '../../../../src/contract/permissions.ts';
import type { Scope } from '../../../../src/contract/permissions.ts';
import { api } from '../../../api/client.ts';
import { useMe } from '../../../session/me.ts';
import { Checkbox, Field, Input, Select } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { problemOf, useChange } from '../use-change.ts';

const ABOUT: Readonly<Record<Exclude<Scope, 'admin'>, string>> = {
  jobs: 'Submit, read and cancel jobs',
  models: 'Call models through the model endpoint: for SDKs, Claude Code, Codex and others',
  executions: 'Start, read and cancel executions',
  history: 'Read and record runs',
  keys: 'Manage provider keys',
  webhooks: 'Manage webhooks',
  teams: 'Manage teams and members',
  billing: 'Read usage, change the plan',
  approvals: 'Ask for approvals, read and answer them',
  runs: 'Ask runners for runs, schedules and triggers',
  runner: 'Be a runner: only for the machine that makes runs',
};

export function CreateKeyDialog({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (key: string) => void;
}) {
  const { data: me } = useMe();
  const [name, setName] = useState('');
  const [days, setDays] = useState(90);
  const [isLimited, setLimited] = useState(false);
  const [scopes, setScopes] = useState<readonly Scope[]>(['jobs', 'executions', 'history']);
  const [isBound, setBound] = useState(true);
  const create = useChange({
    change: () =>
      api.apiKeys.create({
        name,
        ...(days > 0 ? { expiresInDays: days } : {}),
        ...(isLimited ? { scopes: [...scopes] } : {}),
        ...(isBound && me ? { teamId: me.team.id } : {}),
      }),
    stale: ['api-keys'],
    onDone: ({ key }) => onCreated(key),
  });
  return (
    <FormDialog
      title="Create an API key"
      action="Create"
      busy={create.isPending}
      disabled={name.trim() === '' || (isLimited && scopes.length === 0)}
      onClose={onClose}
      onSubmit={() => create.mutate(undefined)}
    >
      <Field label="Name" hint="What it is for." problem={problemOf(create.error, 'name')}>
        {(props) => (
          <Input
            {...props}
            required
            maxLength={100}
            placeholder="CI"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label="Expires">
        {(props) => (
          <Select {...props} value={days} onChange={(event) => setDays(Number(event.target.value))}>
            <option value={7}>in 7 days</option>
            <option value={30}>in 30 days</option>
            <option value={90}>in 90 days</option>
            <option value={365}>in a year</option>
            <option value={0}>never</option>
          </Select>
        )}
      </Field>
      <Field label="Scopes">
        {(props) => (
          <Select
            {...props}
            value={isLimited ? 'some' : 'all'}
            onChange={(event) => setLimited(event.target.value === 'some')}
          >
            <option value="all">everything but managing keys and the server</option>
            <option value="some">only what is chosen below</option>
          </Select>
        )}
      </Field>
      {isLimited ? (
        <fieldset className="grid gap-2 rounded-lg border border-line p-3 sm:grid-cols-2">
          <legend className="sr-only">Chosen scopes</legend>
          {SCOPES.filter((scope) => scope !== 'admin').map((scope) => (
            <Checkbox
              key={scope}
              label={ABOUT[scope]}
              checked={scopes.includes(scope)}
              onChange={(event) =>
                setScopes(
                  event.target.checked
                    ? [...scopes, scope]
                    : scopes.filter((each) => each !== scope),
                )
              }
            />
          ))}
        </fieldset>
      ) : null}
      <Checkbox
        label={`Works only in ${me?.team.name ?? 'this team'}`}
        checked={isBound}
        onChange={(event) => setBound(event.target.checked)}
      />
    </FormDialog>
  );
}
