// One job: its answer as it comes, what was asked, and what it cost.
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { RotateCw } from '../../ui/frame-icons.tsx';
import type { JobDetails } from '../../../src/client/index.ts';
import { useMayWrite } from '../../session/rights.ts';
import type { JobText } from '../../live/job-text.ts';
import { AnswerText } from '../../ui/answer-text.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Path } from '../../ui/path.tsx';
import { Snippets } from '../../ui/snippets.tsx';
import { Loaded, PageHead } from '../../ui/surface.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { OperationDiff } from '../executions/operation-diff.tsx';
import { CallAnswer } from './call-answer.tsx';
import { titleOf } from './call-title.tsx';
import { CancelJob } from './cancel-job.tsx';
import { JobFacts, JobNotes } from './job-facts.tsx';
import { JobPrompt, useJobRequest } from './job-prompt.tsx';
import { jobSnippets } from './job-snippets.ts';
import { ToolCalls } from './tool-calls.tsx';
import { useJob } from './use-job.ts';

export function JobAnswer({ job, live }: { job: JobDetails; live: JobText }) {
  const whole =
    job.status === 'completed'
      ? job.output
      : job.status === 'failed'
        ? (job.partialOutput ?? live.text)
        : live.text;
  const isOver = job.status === 'completed' || job.status === 'failed';
  if (job.kind === 'call')
    return <CallAnswer text={whole} isDone={isOver} problem={live.refusal} />;
  const calls = job.toolCalls ?? [];
  if (calls.length === 0) return <AnswerText text={whole} isDone={isOver} problem={live.refusal} />;
  return (
    <div className="flex flex-col gap-3">
      {whole === '' ? null : <AnswerText text={whole} isDone problem={live.refusal} />}
      <ToolCalls calls={calls} />
    </div>
  );
}

const LINK = 'underline decoration-line-strong underline-offset-3 hover:text-text';

/** What it belongs to. */
function Lead({ job: { kind, runId, streamId } }: { job: JobDetails }) {
  if (runId === null) {
    return (
      <>
        Through the model endpoint, of no run.{' '}
        <Link to="/jobs" search={{ kind: 'call' }} className={LINK}>
          All calls
        </Link>
      </>
    );
  }
  if (kind !== 'call') {
    return (
      <Link to="/jobs" search={{ runId }} className={LINK}>
        Jobs of the same run
      </Link>
    );
  }
  return (
    <>
      Through the model endpoint, by the agent of stream {streamId}.{' '}
      <Link to="/runs/$runId" params={{ runId }} search={{ tab: 'calls' }} className={LINK}>
        Its run
      </Link>
    </>
  );
}

function CopyAs({ jobId }: { jobId: string }) {
  return (
    <Loaded query={useJobRequest(jobId)}>
      {({ streamId, prompt, messages, tools, model, maxTokens }) => (
        <Snippets
          label="The same job again"
          snippets={jobSnippets({
            streamId,
            prompt,
            ...(messages && { messages }),
            ...(tools && tools.length > 0 && { tools }),
            model,
            maxTokens,
          })}
        />
      )}
    </Loaded>
  );
}

export function JobPage() {
  const { jobId } = useParams({ from: '/jobs/$jobId' });
  const { tab } = useSearch({ from: '/jobs/$jobId' });
  const navigate = useNavigate({ from: '/jobs/$jobId' });
  const mayWrite = useMayWrite();
  const { query, live } = useJob(jobId);
  return (
    <Loaded query={query}>
      {(job) => {
        const isOpen = job.status === 'pending' || job.status === 'running';
        const isCall = job.kind === 'call';
        const operations = job.status === 'completed' ? (job.artifact?.operations ?? []) : [];
        return (
          <>
            <Path to="/jobs" label="Jobs">
              <CopyId id={jobId} />
            </Path>
            <PageHead title={titleOf(job)} lead={<Lead job={job} />}>
              {mayWrite && isOpen ? <CancelJob jobId={jobId} /> : null}
              {mayWrite && !isCall && job.toolCalls === undefined ? (
                <Link to="/jobs/new" search={{ from: jobId }} className={buttonClass()}>
                  <RotateCw /> Open in the playground
                </Link>
              ) : null}
            </PageHead>
            <JobFacts job={job} />
            <JobNotes job={job} />
            <Tabs
              label="Views of the job"
              value={tab ?? 'answer'}
              onChange={(id) => void navigate({ search: { tab: id }, replace: true })}
              tabs={[
                { id: 'answer', label: 'Answer', body: () => <JobAnswer job={job} live={live} /> },
                ...(operations.length > 0
                  ? [
                      {
                        id: 'changes',
                        label: 'Changes',
                        count: operations.length,
                        body: () => (
                          <div className="flex flex-col gap-3">
                            {operations.map((operation, index) => (
                              <OperationDiff key={index} operation={operation} />
                            ))}
                          </div>
                        ),
                      },
                    ]
                  : []),
                {
                  id: 'prompt',
                  label: isCall ? 'Request' : 'Prompt',
                  body: () => <JobPrompt jobId={jobId} kind={job.kind} />,
                },
                // A call is made again by its client: the request has no key and no headers.
                ...(isCall
                  ? []
                  : [{ id: 'copy', label: 'Copy as', body: () => <CopyAs jobId={jobId} /> }]),
                { id: 'json', label: 'JSON', body: () => <JsonView value={job} /> },
              ]}
            />
          </>
        );
      }}
    </Loaded>
  );
}
