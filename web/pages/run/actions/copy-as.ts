// The same run for other tools.
import { shellWord } from '../../../ui/shell-word.ts';

export interface Snippet {
  label: string;
  text: string;
}

export function snippetsOf(runId: string, origin: string): Snippet[] {
  return [
    { label: 'CLI', text: `millrace watch ${shellWord(runId)}` },
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
