// Connects an assistant, a program or CI: snippets that work as they are, and a sign when it does.
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { CircleCheck, LoaderCircle } from '../../ui/icons.tsx';
import { useState } from 'react';
import type { CreatedApiKey } from '../../../src/contract/api-keys-api.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { Card, PageHead } from '../../ui/surface.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { NewKey } from './new-key.tsx';
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
          <h2 className="text-xs font-medium text-soft">{label}</h2>
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
  const { with: chosen } = useSearch({ from: '/connect' });
  const navigate = useNavigate({ from: '/connect' });
  const [key, setKey] = useState<CreatedApiKey>();
  const call = useFirstCall();
  const ways = waysFor(location.origin);
  const way = ways.find(({ id }) => id === chosen) ?? ways[0]!;
  return (
    <>
      <PageHead
        title="Connect"
        lead="Use Millrace from your assistant, your code or your CI. The snippets are filled in for this server."
      />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <Card className="px-4 pt-2 pb-4">
          <Tabs
            label="Ways to connect"
            value={way.id}
            onChange={(id) => void navigate({ search: { with: id }, replace: true })}
            tabs={ways.map((each) => ({
              id: each.id,
              label: each.label,
              body: () => <Steps way={each} />,
            }))}
          />
        </Card>
        <div className="flex min-w-0 flex-col gap-4">
          <Listening call={call} />
          <NewKey name={way.label} created={key} onCreated={setKey} />
        </div>
      </div>
    </>
  );
}
