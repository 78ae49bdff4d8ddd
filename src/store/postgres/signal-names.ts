// What can be signalled, and how it is called in the database.

export const SIGNALS = {
  /** New work in the queue. */
  work: 'millrace_work',
  /** These jobs were cancelled: the node that runs them must stop. */
  cancel: 'millrace_cancel',
  /** These jobs ended or their counts became final. */
  ended: 'millrace_ended',
  /** These jobs started, or have new text in the table. */
  progress: 'millrace_progress',
  /** There are webhook deliveries to make. */
  webhooks: 'millrace_webhooks',
  /** Provider keys whose calls must pause, as `key~milliseconds`. */
  pace: 'millrace_pace',
  /** Command lines have reported these runs, or a user wants them to stop: each with its team (`runKeyText`). */
  runs: 'millrace_runs',
  /** These approvals were asked for or answered: each with its team, as runs are. */
  approvals: 'millrace_approvals',
  /** Something about the run requests of these teams changed, or about their runners. */
  requests: 'millrace_requests',
  /** A schedule was made or changed. */
  schedules: 'millrace_schedules',
  /** Something about these users or their keys changed. */
  identity: 'millrace_identity',
} as const;
export type SignalName = keyof typeof SIGNALS;

export interface SignalMessage {
  name: SignalName;
  ids: readonly string[];
}
