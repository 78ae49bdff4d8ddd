// What was asked of a job: as one text, or by its parts, those first that vendors can cache.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { JobKind } from '../../../src/contract/job-api.ts';
import type { JobRequest } from '../../../src/contract/job-list-api.ts';
import type { Message, ToolSpec } from '../../../src/client/index.ts';
import { getJobRequest } from '../../api/jobs.ts';
import { PromptParts } from '../../ui/prompt-parts.tsx';
import { command } from '../../ui/command.ts';
import { EmptyState, Loaded } from '../../ui/surface.tsx';
import { readable } from './answer-parts.ts';
import { argumentsOf } from './tool-calls.tsx';

const PARTS = ['systemContent', 'projectContext', 'streamContext', 'taskContent'] as const;

export function useJobRequest(jobId: string) {
  return useQuery({
    queryKey: ['job-request', jobId],
    queryFn: () => getJobRequest(jobId),
    // It never changes.
    staleTime: Infinity,
  });
}

function partOf(message: Message) {
  switch (message.role) {
    case 'system':
      return { name: 'System', text: message.text };
    case 'user':
      return { name: 'User', text: message.text };
    case 'tool':
      return { name: message.isError === true ? 'Tool, failed' : 'Tool', text: message.text };
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map((call) => `${call.name} ${argumentsOf(call)}`);
      return {
        name: 'Assistant',
        text: [message.text ?? '', ...calls].filter(Boolean).join('\n\n'),
      };
    }
  }
}

/** What was said, then what was offered: people read the former. */
function conversationOf(messages: readonly Message[], tools: readonly ToolSpec[]) {
  const offered = tools.map(
    ({ name, description, parameters }) =>
      `${name}: ${description}\n${JSON.stringify(parameters, null, 2)}`,
  );
  const said = messages.map(partOf);
  return offered.length === 0 ? said : [...said, { name: 'Tools', text: offered.join('\n\n') }];
}

function partsOf({ prompt, structuredPrompt, messages, tools = [] }: JobRequest) {
  if (messages !== undefined) return conversationOf(messages, tools);
  if (structuredPrompt === null) return [{ name: 'prompt', text: prompt }];
  return PARTS.map((name) => ({ name, text: structuredPrompt[name] ?? '' })).filter(
    ({ text }) => text !== '',
  );
}

/** Of a call: the body that its client sent, where the team has it stored. */
function CallRequest({ body }: { body: string }) {
  if (body !== '') return <PromptParts parts={[{ name: 'request', text: readable(body) }]} />;
  return (
    <EmptyState title="The request is not stored">
      <p>
        Requests through the model endpoint are stored only where the team wants it. Turn it on for
        later calls in{' '}
        <Link to="/settings/$" params={{ _splat: 'team' }} className="text-accent underline">
          the settings of the team
        </Link>
        , or with <code>{command('team', 'update', '--store-model-calls', 'on')}</code>.
      </p>
    </EmptyState>
  );
}

export function JobPrompt({ jobId, kind = 'job' }: { jobId: string; kind?: JobKind | undefined }) {
  return (
    <Loaded query={useJobRequest(jobId)}>
      {(request) =>
        kind === 'call' ? (
          <CallRequest body={request.prompt} />
        ) : (
          <PromptParts parts={partsOf(request)} />
        )
      }
    </Loaded>
  );
}
