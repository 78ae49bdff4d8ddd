// Tries the model endpoint from the page: the same call that a client would make, with a key of the reader's.
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Cost } from '../../ui/cost.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { TriangleAlert } from '../../ui/frame-icons.tsx';
import { CircleCheck, Play } from '../../ui/icons.tsx';
import { ModelField } from '../../ui/model-field.tsx';
import { Card, CardHead } from '../../ui/surface.tsx';
import { VENDORS, testCall } from './test-call.ts';
import type { TestResult, Vendor } from './test-call.ts';

/** What the books have of the call. */
function CallFigures({ jobId }: { jobId: string }) {
  const { data: job } = useQuery({
    queryKey: ['job', jobId],
    queryFn: () => api.getJobDetails(jobId),
    // The books have it a moment after the client has its answer.
    refetchInterval: ({ state }) => (state.data?.endedAt == null ? 500 : false),
  });
  return (
    <>
      {job && 'tokensUsed' in job ? (
        <p className="text-soft tabular">
          {job.model}: {formatCount(job.tokensUsed.input)} tokens in,{' '}
          {formatCount(job.tokensUsed.output)} out, <Cost usd={job.costUsd} />
        </p>
      ) : null}
      <Link to="/jobs/$jobId" params={{ jobId }} className="text-accent underline">
        Open the call
      </Link>
    </>
  );
}

function Result({ result }: { result: TestResult }) {
  const { status, latencyMs, text, error, jobId } = result;
  const isFine = error === undefined;
  return (
    <div role="status" className="flex items-start gap-3 border-t border-line pt-4">
      {isFine ? (
        <CircleCheck aria-hidden className="size-5 shrink-0 text-good" />
      ) : (
        <TriangleAlert aria-hidden className="size-5 shrink-0 text-bad" />
      )}
      <div className="flex min-w-0 flex-col items-start gap-1">
        <p className={isFine ? 'font-medium text-good' : 'font-medium text-bad'}>
          Status {status} in {formatDuration(latencyMs)}
        </p>
        <p className={isFine ? '[overflow-wrap:anywhere]' : '[overflow-wrap:anywhere] text-bad'}>
          {isFine ? text || 'The model answered without text.' : error}
        </p>
        {jobId === undefined ? null : <CallFigures jobId={jobId} />}
      </div>
    </div>
  );
}

export function TestPanel({ createdKey }: { createdKey: string | undefined }) {
  const [vendor, setVendor] = useState<Vendor>('anthropic');
  const [model, setModel] = useState('sim-fast');
  const [typedKey, setKey] = useState<string>();
  const key = typedKey ?? createdKey ?? '';
  const test = useMutation({ mutationFn: () => testCall(vendor, model, key.trim()) });
  return (
    <Card>
      <CardHead title="Test the endpoint" />
      <form
        className="flex flex-col gap-4 p-4 text-sm"
        onSubmit={(event) => {
          event.preventDefault();
          test.mutate();
        }}
      >
        <Field label="Protocol">
          {(props) => (
            <Select
              {...props}
              value={vendor}
              onChange={({ target }) => setVendor(target.value as Vendor)}
            >
              {Object.entries(VENDORS).map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <ModelField value={model} onChange={setModel} required />
        <Field
          label="Key to test with"
          hint="Of this server, with the scope models. A key that you create here is filled in."
        >
          {(props) => (
            <Input
              {...props}
              type="password"
              autoComplete="off"
              required
              placeholder="mill_sk_..."
              value={key}
              onChange={({ target }) => setKey(target.value)}
            />
          )}
        </Field>
        <Button type="submit" look="primary" icon={<Play />} busy={test.isPending}>
          Test
        </Button>
        {test.isPending ? null : test.error ? (
          <p role="alert" className="text-bad">
            The server cannot be reached: {test.error.message}
          </p>
        ) : test.data ? (
          <Result result={test.data} />
        ) : null}
      </form>
    </Card>
  );
}
