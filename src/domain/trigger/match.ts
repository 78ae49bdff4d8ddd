// Whether an event is one that a trigger is for.
import { matchesGlob } from '../model/id-glob.ts';
import type { TriggerFilters } from '../../contract/trigger-api.ts';
import type { IgnoreReason, TriggerEventName } from '../../contract/trigger-events.ts';
import type { TriggerEvent } from './event.ts';

const anyOf = (globs: readonly string[] | undefined, values: readonly string[]) =>
  globs === undefined || globs.some((glob) => values.some((value) => matchesGlob(glob, value)));

const small = (names: readonly string[] | undefined) => names?.map((name) => name.toLowerCase());

/** Undefined for one that it is for. */
export function whyIgnored(
  trigger: {
    repository: string | null;
    events: readonly TriggerEventName[];
    filters: TriggerFilters;
  },
  event: TriggerEvent,
): IgnoreReason | undefined {
  const { repository, events, filters } = trigger;
  const { name } = event;
  if (name === 'call') return undefined;
  if (name === null || !events.includes(name)) return 'event';
  if (event.repository?.toLowerCase() !== repository?.toLowerCase()) return 'repository';
  // Or each run would start the next one.
  if (event.isOwn) return 'own';
  // What fails is reported by programs; what people ask for is asked by people.
  if (event.isBot && name !== 'check_failed' && name !== 'push') return 'bot';
  if (event.isFork) return 'fork';
  if (name === 'issue_labeled' && !anyOf(small(filters.labels), small(event.labels)!)) {
    return 'label';
  }
  if (event.branch !== null && !anyOf(filters.branches, [event.branch])) return 'branch';
  if (name === 'push' && !anyOf(filters.paths, event.paths)) return 'path';
  if (!anyOf(small(filters.authors), small(event.actor === null ? [] : [event.actor])!)) {
    return 'author';
  }
  const command = event.values['comment.command'];
  const isCommand = command && (filters.commands?.includes(command) ?? true);
  return name === 'comment' && !isCommand ? 'command' : undefined;
}
