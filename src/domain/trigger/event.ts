// What happened elsewhere, as far as a trigger needs to know it. The texts in it were written by strangers.
import type { IgnoreReason, TriggerEventName } from '../../contract/trigger-events.ts';

/** What a template may name. `inline`: it can be nothing but digits, a commit or words of ours. */
export const EVENT_VALUES = {
  event: { inline: true, about: 'the name of the event' },
  repository: { inline: true, about: 'owner and name of the repository' },
  'issue.number': { inline: true, about: 'number of the issue or pull request' },
  'push.sha': { inline: true, about: 'the commit that was pushed' },
  'check.sha': { inline: true, about: 'the commit that was checked' },
  'review.sha': { inline: true, about: 'the commit that was reviewed' },
  actor: { inline: false, about: 'who did it' },
  'issue.title': { inline: false, about: 'title of the issue or pull request' },
  'issue.body': { inline: false, about: 'its text' },
  'issue.url': { inline: false, about: 'its address' },
  'issue.label': { inline: false, about: 'the label that it got' },
  'comment.body': { inline: false, about: 'the comment' },
  'comment.command': { inline: false, about: 'the word after /millrace' },
  'comment.arguments': { inline: false, about: 'the rest of that line' },
  'push.branch': { inline: false, about: 'the branch' },
  'push.message': { inline: false, about: 'the message of the last commit' },
  'check.name': { inline: false, about: 'the check, workflow or pipeline' },
  'check.branch': { inline: false, about: 'the branch that was checked' },
  'check.url': { inline: false, about: 'its address' },
  'review.body': { inline: false, about: 'the text of the review' },
  'review.branch': { inline: false, about: 'the branch that was reviewed' },
} as const satisfies Record<string, { inline: boolean; about: string }>;
export type EventValue = keyof typeof EVENT_VALUES;

/** Names of the values that come with a call of a URL. */
export const CALL_VALUE = /^values\.[a-z][a-z0-9_]{0,49}$/;

export interface TriggerEvent {
  /** `call`: of a URL. Null: one that no trigger is for. */
  name: TriggerEventName | 'call' | null;
  /** As the forge calls it. */
  said: string;
  repository: string | null;
  /** Of a forge that is not the public one. */
  host: string | null;
  actor: string | null;
  isBot: boolean;
  /** Our own comment, or a branch of ours. */
  isOwn: boolean;
  isFork: boolean;
  labels: readonly string[];
  branch: string | null;
  paths: readonly string[];
  values: Readonly<Record<string, string>>;
}

export type ReadEvent =
  | { kind: 'event'; event: TriggerEvent }
  | { kind: 'ignored'; reason: IgnoreReason; said: string };
