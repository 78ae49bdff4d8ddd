// Whether a trigger makes sense as a whole.
import { invalid } from '../../contract/errors.ts';
import { CALL_VALUE } from '../../domain/trigger/event.ts';
import { checkBranchTemplate, checkTemplate } from '../../domain/trigger/fill-template.ts';
import type { TriggerFields } from '../../store/triggers/triggers.ts';

export const isCallValue = (name: string): boolean => CALL_VALUE.test(name);

/** Throws what a caller can act on. */
export function checkTrigger(fields: TriggerFields): void {
  const { kind, repository, events, filters, work } = fields;
  const isCall = kind === 'url';
  if (isCall && (repository !== null || events.length > 0)) {
    const path = repository === null ? 'events' : 'repository';
    throw invalid(path, 'custom', `${path} is for the kinds github and gitlab`);
  }
  if (isCall && Object.keys(filters).length > 0) {
    throw invalid('filters', 'custom', 'filters are for the kinds github and gitlab');
  }
  if (!isCall && repository === null) {
    throw invalid('repository', 'custom', 'repository is required, such as example/shop');
  }
  if (!isCall && events.length === 0) {
    throw invalid('events', 'custom', 'events are required: at least one');
  }
  if (kind === 'github' && repository!.split('/').length !== 2) {
    throw invalid('repository', 'custom', 'repository must be like owner/name');
  }
  if (kind === 'gitlab' && events.includes('review')) {
    throw invalid('events', 'custom', 'GitLab sends no event for a review. Use comment instead');
  }
  const task = work.task === undefined ? undefined : checkTemplate(work.task, isCall);
  if (task !== undefined) throw invalid('work.task', 'custom', `work.task ${task}`);
  const branch = work.branch === undefined ? undefined : checkBranchTemplate(work.branch, isCall);
  if (branch !== undefined) throw invalid('work.branch', 'custom', `work.branch ${branch}`);
}
