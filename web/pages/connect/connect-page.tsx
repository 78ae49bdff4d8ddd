// Connects an assistant, a program or CI: snippets that work as they are, and a sign when it does.
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { CircleCheck, LoaderCircle } from '../../ui/icons.tsx';
import { useState } from 'react';
import type { CreatedApiKey } from '../../../src/contract/api-keys-api.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { Card, CardHead, PageHead } from '../../ui/surface.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { modelClients } from './model-clients.ts';
import { NewKey } from './new-key.tsx';
import { TestPanel } from './test-panel.tsx';
import { useFirstCall } from './use-first-call.ts';
import type { FirstCall } from './use-first-call.ts';
import { waysFor } from './ways.ts';
import type { Way } from './ways.ts';

function Steps({ way }: { way: Way }) {
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-soft">{way.lead}</p>
      {way.steps.map(({ label, text }) => (
        <section key={label} className="flex flex-col gap-1.5">
          <h3 className="text-xs font-medium text-soft">{label}</h3>
          <CopyBlock text={text} label={label} />
        </section>
      ))}
    </div>
  );
}

function Listening({ call }: { call: FirstCall | undefined }) {
  return (
    <Card className="px-4 py-4">
      <div role="status" className="flex items-start gap-3 text-sm">
        {call ? (
          <>
            <CircleCheck aria-hidden className="size-5 shrink-0 text-good" />
            <div>
              <p className="font-medium text-good">Connected</p>
              <p className="mt-0.5 text-soft">
                The first call has come in.{' '}
                {call.jobId ? (
                  <Link
                    to="/jobs/$jobId"
                    params={{ jobId: call.jobId }}
                    className="text-accent underline"
                  >
                    Look at it
                  </Link>
                ) : null}
              </p>
            </div>
          </>
        ) : (
          <>
            <LoaderCircle
              aria-hidden
              className="size-5 shrink-0 text-faint motion-safe:animate-spin"
            />
            <div>
              <p className="font-medium">Waiting for the first call</p>
              <p className="mt-0.5 text-soft">This turns green as soon as one arrives.</p>
            </div>
          </>
        )}
      </div>
    </Card>
  );
}

export function ConnectPage() {
  const { with: chosen, client: chosenClient } = useSearch({ from: '/connect' });
  const navigate = useNavigate({ from: '/connect' });
  const [key, setKey] = useState<CreatedApiKey>();
  const call = useFirstCall();
  const ways = waysFor(location.origin);
  const clients = modelClients(location.origin);
  const client = clients.find(({ id }) => id === chosenClient) ?? clients[0]!;
  const way = ways.find(({ id }) => id === chosen) ?? ways[0]!;
  return (
    <>
      <PageHead
        title="Connect"
        lead="Use Millrace from your assistant, your code or your CI. The snippets are filled in for this server."
      />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <Card>
          <CardHead title="Assistants, code and CI" />
          <div className="px-4 pt-2 pb-4">
            <Tabs
              label="Ways to connect"
              value={way.id}
              onChange={(id) =>
                void navigate({ search: (search) => ({ ...search, with: id }), replace: true })
              }
              tabs={ways.map((each) => ({
                id: each.id,
                label: each.label,
                body: () => <Steps way={each} />,
              }))}
            />
          </div>
        </Card>
        <div className="flex min-w-0 flex-col gap-4">
          <Listening call={call} />
          <NewKey
            name={chosenClient === undefined ? way.label : client.label}
            created={key}
            onCreated={setKey}
          />
        </div>
        <Card>
          <div id="model-endpoint">
            <CardHead title="Model endpoint" />
          </div>
          <div className="px-4 pt-3 pb-4">
            <p className="mb-2 text-sm text-soft">
              Clients of Anthropic, OpenAI, Google and OpenRouter call models through this server,
              which adds the provider key and counts tokens and cost. The lines ask a simulated
              model, so they work without a provider key.
            </p>
            <Tabs
              label="Clients of the model endpoint"
              value={client.id}
              onChange={(id) =>
                void navigate({ search: (search) => ({ ...search, client: id }), replace: true })
              }
              tabs={clients.map((each) => ({
                id: each.id,
                label: each.label,
                body: () => <Steps way={each} />,
              }))}
            />
          </div>
        </Card>
        <TestPanel createdKey={key?.key} />
      </div>
    </>
  );
}
