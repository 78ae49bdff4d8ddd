// The events of triggers as people and forges call them, and what each of them says.
import { EVENT_VALUES } from '../../../src/domain/trigger/event.ts';
import { TRIGGER_EVENTS } from '../../../src/contract/trigger-events.ts';
import type { TriggerEventName } from '../../../src/contract/trigger-events.ts';
import type { TriggerFilters, TriggerKind } from '../../../src/contract/trigger-api.ts';

export type Forge = Exclude<TriggerKind, 'url'>;
export type FilterName = keyof TriggerFilters;

export const KIND_WORDS: Readonly<Record<TriggerKind, string>> = {
  url: 'A URL',
  github: 'GitHub',
  gitlab: 'GitLab',
};

/** What is chosen at the forge so that it sends them; undefined where it sends none. */
const CHOICES: Readonly<Record<TriggerEventName, Readonly<Record<Forge, string | undefined>>>> = {
  issue_labeled: { github: 'Issues', gitlab: 'Issues events' },
  comment: { github: 'Issue comments', gitlab: 'Comments' },
  push: { github: 'Pushes', gitlab: 'Push events' },
  check_failed: { github: 'Workflow runs, or Check runs', gitlab: 'Pipeline events' },
  review: { github: 'Pull request reviews', gitlab: undefined },
};

export const choiceOf = (event: TriggerEventName, forge: Forge) => CHOICES[event][forge];

export const eventsOf = (forge: Forge): TriggerEventName[] =>
  (Object.keys(TRIGGER_EVENTS) as TriggerEventName[]).filter(
    (event) => CHOICES[event][forge] !== undefined,
  );

const ABOUT: Readonly<Record<TriggerEventName, readonly string[]>> = {
  issue_labeled: ['issue'],
  comment: ['issue', 'comment'],
  push: ['push'],
  check_failed: ['check'],
  review: ['issue', 'review'],
};

/** What a task may name when the trigger is for these events. */
export function valuesOf(events: readonly TriggerEventName[]): { name: string; about: string }[] {
  const parts = ['', ...new Set(events.flatMap((event) => ABOUT[event]))];
  const said = Object.entries(EVENT_VALUES).map(([name, { about }]) => {
    const [part = ''] = name.includes('.') ? name.split('.') : [''];
    return { name, about, at: parts.indexOf(part) };
  });
  const isSaid = (name: string) => name !== 'issue.label' || events.includes('issue_labeled');
  return said.filter(({ name, at }) => at >= 0 && isSaid(name)).toSorted((a, b) => a.at - b.at);
}

interface Filter {
  label: string;
  hint: string;
  /** Undefined: of all. */
  events?: readonly TriggerEventName[];
}

export const FILTERS: Readonly<Record<FilterName, Filter>> = {
  labels: { label: 'Labels', hint: 'One of these is given', events: ['issue_labeled'] },
  commands: {
    label: 'Commands',
    hint: 'One of these words follows /millrace',
    events: ['comment'],
  },
  branches: {
    label: 'Branches',
    hint: 'It happens on one of these',
    events: ['push', 'check_failed', 'review'],
  },
  paths: { label: 'Paths', hint: 'One of these was changed', events: ['push'] },
  authors: { label: 'Authors', hint: 'One of these did it' },
};

export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];
