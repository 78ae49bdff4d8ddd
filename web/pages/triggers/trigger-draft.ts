// What is typed into the form of a trigger, and what is sent of it.
import type {
  NewTrigger,
  Trigger,
  TriggerChange,
  TriggerFilters,
  TriggerKind,
} from '../../../src/contract/trigger-api.ts';
import type { TriggerEventName } from '../../../src/contract/trigger-events.ts';
import { EMPTY, draftOf, isFilled, workOf } from '../requests/request-draft.ts';
import type { RequestDraft } from '../requests/request-draft.ts';
import { changedRules, isSame, newRules, rulesDraftOf, rulesOf } from '../starts/rules-draft.ts';
import type { RulesDraft } from '../starts/rules-draft.ts';
import { FILTER_NAMES, eventsOf } from './event-words.ts';
import type { FilterName } from './event-words.ts';

/** A line for each of its values, which may have commas in them. */
export type FilterTexts = Readonly<Record<FilterName, string>>;

export interface TriggerDraft {
  name: string;
  kind: TriggerKind;
  repository: string;
  events: readonly TriggerEventName[];
  filters: FilterTexts;
  rules: RulesDraft;
  work: RequestDraft;
}

const textsOf = (filters: TriggerFilters): FilterTexts => {
  const entries = FILTER_NAMES.map((name) => [name, (filters[name] ?? []).join('\n')] as const);
  return Object.fromEntries(entries) as unknown as FilterTexts;
};

export const newDraft = (project: string): TriggerDraft => ({
  name: '',
  kind: 'github',
  repository: '',
  events: ['issue_labeled'],
  filters: textsOf({}),
  rules: newRules('queue'),
  work: { ...EMPTY, project },
});

export const triggerDraftOf = (trigger: Trigger): TriggerDraft => ({
  name: trigger.name,
  kind: trigger.kind,
  repository: trigger.repository ?? '',
  events: trigger.events,
  filters: textsOf(trigger.filters),
  rules: rulesDraftOf(trigger),
  work: draftOf(trigger.work),
});

function filtersOf(texts: FilterTexts): TriggerFilters {
  const entries = FILTER_NAMES.map((name) => {
    const lines = texts[name].split('\n').map((line) => line.trim());
    return [name, lines.filter((line) => line !== '')] as const;
  });
  return Object.fromEntries(entries.filter(([, values]) => values.length > 0));
}

/** Of those that the forge sends; the form keeps others while it is looked at what else there is. */
export const chosenEvents = ({ kind, events }: TriggerDraft): TriggerEventName[] =>
  kind === 'url' ? [] : eventsOf(kind).filter((event) => events.includes(event));

export function triggerOf(draft: TriggerDraft): NewTrigger {
  const { name, kind, filters, rules, work } = draft;
  return {
    name,
    kind,
    ...(kind === 'url'
      ? {}
      : {
          repository: draft.repository.trim(),
          events: chosenEvents(draft),
          filters: filtersOf(filters),
        }),
    ...rulesOf(rules),
    work: workOf(work, undefined),
  };
}

/** Only what differs: what others have changed meanwhile stays, and so does the owner while the work does. */
export function triggerChange(
  draft: TriggerDraft,
  first: TriggerDraft,
  before: Trigger,
): TriggerChange {
  return {
    ...(draft.name === first.name ? {} : { name: draft.name }),
    ...(draft.repository === first.repository ? {} : { repository: draft.repository.trim() }),
    ...(isSame(draft.events, first.events) ? {} : { events: chosenEvents(draft) }),
    ...(isSame(draft.filters, first.filters) ? {} : { filters: filtersOf(draft.filters) }),
    ...changedRules(draft.rules, first.rules),
    ...(isSame(draft.work, first.work) ? {} : { work: workOf(draft.work, before.work) }),
  };
}

export const isComplete = (draft: TriggerDraft): boolean =>
  draft.name.trim() !== '' &&
  isFilled(draft.work) &&
  (draft.kind === 'url' || (draft.repository.trim() !== '' && chosenEvents(draft).length > 0));
