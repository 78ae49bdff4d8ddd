// A prompt, a model, and the answer as it comes.
import { useMutation } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { SquareTerminal } from '../../ui/frame-icons.tsx';
import { Play } from '../../ui/icons.tsx';
import { useState } from 'react';
import type { JobRequest } from '../../../src/contract/job-list-api.ts';
import { api } from '../../api/client.ts';
import { problemOf } from '../../api/field-problems.ts';
import { WritersOnly } from '../../session/writers-only.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { ModelField } from '../../ui/model-field.tsx';
import { Path } from '../../ui/path.tsx';
import { Snippets } from '../../ui/snippets.tsx';
import { Card, CardHead, EmptyState, Loaded, PageHead, Skeleton } from '../../ui/surface.tsx';
import { CancelJob } from './cancel-job.tsx';
import { JobFacts, JobNotes } from './job-facts.tsx';
import { JobAnswer } from './job-page.tsx';
import { useJobRequest } from './job-prompt.tsx';
import { jobSnippets } from './job-snippets.ts';
import { useJob } from './use-job.ts';
import { usePageKeys } from '../../ui/page-keys.ts';

/** System text that is the same in many calls goes first, so that vendors can cache it. */
function joined(system: string, prompt: string): string {
  return system === '' ? prompt : `${system}\n\n${prompt}`;
}

function Answer({ jobId }: { jobId: string }) {
  const { query, live } = useJob(jobId);
  return (
    <Loaded query={query}>
      {(job) => (
        <div className="p-4">
          <JobFacts job={job} />
          <JobNotes job={job} />
          <JobAnswer job={job} live={live} />
          <div className="mt-3 flex items-center justify-between gap-2">
            <Link to="/jobs/$jobId" params={{ jobId }} className="text-sm text-accent underline">
              Open the job
            </Link>
            {job.status === 'pending' || job.status === 'running' ? (
              <CancelJob jobId={jobId} />
            ) : null}
          </div>
        </div>
      )}
    </Loaded>
  );
}

function Playground({ from }: { from: JobRequest | undefined }) {
  const [model, setModel] = useState(from?.model ?? 'sim-fast');
  const [system, setSystem] = useState(from?.structuredPrompt?.systemContent?.trimEnd() ?? '');
  const [prompt, setPrompt] = useState(
    from ? from.prompt.slice(from.structuredPrompt?.systemContent?.length ?? 0) : '',
  );
  const [maxTokens, setMaxTokens] = useState(String(from?.maxTokens ?? 1000));
  const job = {
    streamId: 'playground',
    prompt: joined(system, prompt),
    model,
    maxTokens: Number(maxTokens),
    ...(system === '' ? {} : { structuredPrompt: { systemContent: system, taskContent: prompt } }),
  };
  const run = useMutation({ mutationFn: () => api.execute(job) });
  const problem = (field: string) => problemOf(run.error, field);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[repeat(2,minmax(0,1fr))]">
      <div className="flex min-w-0 flex-col gap-4">
        <Card>
          <form
            className="flex flex-col gap-4 p-4"
            onSubmit={(event) => {
              event.preventDefault();
              run.mutate();
            }}
          >
            <div className="grid gap-4 sm:grid-cols-[1fr_9rem]">
              <ModelField value={model} onChange={setModel} required problem={problem('model')} />
              <Field label="Maximum tokens" problem={problem('maxTokens')}>
                {(props) => (
                  <Input
                    {...props}
                    type="number"
                    min={1}
                    max={200_000}
                    required
                    value={maxTokens}
                    onChange={(event) => setMaxTokens(event.target.value)}
                  />
                )}
              </Field>
            </div>
            <Field label="System" hint="Optional. Goes first, and vendors can cache it.">
              {(props) => (
                <TextArea
                  {...props}
                  rows={2}
                  value={system}
                  onChange={(event) => setSystem(event.target.value)}
                />
              )}
            </Field>
            <Field label="Prompt" problem={problem('prompt')}>
              {(props) => (
                <TextArea
                  {...props}
                  rows={9}
                  required
                  value={prompt}
                  placeholder="Write a haiku about a mill"
                  onChange={(event) => setPrompt(event.target.value)}
                  onKeyDown={(event) => {
                    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
                      event.currentTarget.form?.requestSubmit();
                    }
                  }}
                />
              )}
            </Field>
            <div className="flex items-center justify-end gap-3">
              <span className="text-xs text-faint">Ctrl + Enter</span>
              <Button type="submit" look="primary" icon={<Play />} busy={run.isPending}>
                Run
              </Button>
            </div>
          </form>
        </Card>
        <Card>
          <CardHead title="Copy as" />
          <div className="p-4">
            <Snippets label="Copy as" snippets={jobSnippets(job)} />
          </div>
        </Card>
      </div>
      <Card>
        <CardHead title="Answer" />
        {run.data ? (
          <Answer key={run.data.jobId} jobId={run.data.jobId} />
        ) : (
          <EmptyState icon={<SquareTerminal />} title="Nothing has run yet">
            The answer shows up here while the model writes it, with its tokens and its cost.
          </EmptyState>
        )}
      </Card>
    </div>
  );
}

const KEYS = [{ keys: ['mod', 'Enter'], label: 'Send the prompt' }];

export function PlaygroundPage() {
  usePageKeys(KEYS);
  const { from } = useSearch({ from: '/jobs/new' });
  return (
    <>
      <Path to="/jobs" label="Jobs">
        Playground
      </Path>
      <PageHead title="Playground" lead="Run one prompt on any model that your team can use." />
      <WritersOnly to="run a prompt">
        {from === undefined ? <Playground from={undefined} /> : <From jobId={from} />}
      </WritersOnly>
    </>
  );
}

function From({ jobId }: { jobId: string }) {
  const request = useJobRequest(jobId);
  return request.isPending ? <Skeleton /> : <Playground from={request.data} />;
}
