// The events that triggers can be for, and why one starts nothing.

/** Events of forges that a trigger can be for. */
export const TRIGGER_EVENTS = {
  issue_labeled: 'An issue gets a label',
  comment: 'A comment has a line that begins with `/millrace`',
  push: 'Commits are pushed to a branch',
  check_failed: 'A check, a workflow or a pipeline fails',
  review: 'A review of a pull request asks for changes',
} as const;
export type TriggerEventName = keyof typeof TRIGGER_EVENTS;

/** Why an event that is genuine starts nothing. */
export const IGNORE_REASONS = {
  ping: 'The forge tried whether the address works',
  event: 'The trigger is not for this event',
  repository: 'It comes from another repository',
  own: 'It comes from Millrace itself',
  bot: 'It comes from a bot',
  fork: 'It comes from a fork',
  label: 'None of its labels is one of the trigger',
  branch: 'Its branch is not one of the trigger',
  path: 'No path of the trigger was changed',
  author: 'Its author is not one of the trigger',
  command: 'It has no command of the trigger',
  unreadable: 'Something is missing in it that such an event has',
} as const;
export type IgnoreReason = keyof typeof IGNORE_REASONS;
