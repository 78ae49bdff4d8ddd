// Lists and figures are asked for again when something of the team has changed.
import { queryClient } from '../session/query-client.ts';
import { onOpened, subscribe } from './live.ts';

/** What the server calls a thing, and the first part of the keys of its queries. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  runs: ['runs', 'run', 'usage'],
  executions: ['executions', 'execution', 'usage'],
  approvals: ['approvals', 'approval'],
  jobs: ['jobs', 'job', 'usage', 'system'],
  requests: [
    'requests',
    'request',
    'runners',
    'projects',
    // What asks for them.
    'schedules',
    'schedule',
    'schedule-firings',
    'triggers',
    'trigger',
    'trigger-deliveries',
  ],
};

export function followTeam(): () => void {
  const offTopic = subscribe('team', (messages) => {
    const kinds = new Set(messages.flatMap(({ data }) => Object.keys(data as object)));
    const keys = new Set([...kinds].flatMap((kind) => QUERIES[kind] ?? []));
    for (const key of keys) void queryClient.invalidateQueries({ queryKey: [key] });
  });
  // Nobody told what happened while there was no connection.
  const offOpened = onOpened(() => void queryClient.invalidateQueries());
  return () => {
    offTopic();
    offOpened();
  };
}
