// A job as others would submit it.
import type { NewJob } from '../../../src/client/index.ts';
import { curlOf, typescriptOf } from '../../ui/shell-text.ts';
import { command } from '../../ui/command.ts';
import type { Snippet } from '../../ui/snippets.tsx';

export function jobSnippets(job: NewJob): Snippet[] {
  const limits = ['--max-tokens', String(job.maxTokens)];
  const cli = command('job', 'run', '--model', job.model, ...limits, '--prompt', job.prompt);
  const snippets = [
    { label: 'curl', text: curlOf('POST', `${location.origin}/api/v1/execute`, job) },
    {
      label: 'TypeScript',
      text: typescriptOf(
        `const { jobId } = await client.execute(${JSON.stringify(job, null, 2)});\nconst job = await client.getJob(jobId, { waitSeconds: 60 });`,
      ),
    },
  ];
  // The command runs one prompt.
  return job.messages || job.tools ? snippets : [...snippets, { label: 'CLI', text: cli }];
}
