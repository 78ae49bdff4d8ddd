// The same run for other tools.
import { command } from '../../../ui/command.ts';
import { shellWord } from '../../../../src/domain/command/suggested-command.ts';

export interface Snippet {
  label: string;
  text: string;
}

export function snippetsOf(runId: string, origin: string): Snippet[] {
  return [
    { label: 'CLI', text: command('watch', runId) },
    {
      label: 'curl',
      text: `curl ${shellWord(`${origin}/api/v1/history/${runId}`)} -H "X-API-Key: $MILLRACE_API_KEY"`,
    },
    {
      label: 'TypeScript',
      text: [
        `import { MillraceClient } from 'millrace/client';`,
        '',
        `const millrace = new MillraceClient('${origin}', process.env.MILLRACE_API_KEY);`,
        `const { run, streams } = await millrace.getRun('${runId}');`,
      ].join('\n'),
    },
  ];
}
