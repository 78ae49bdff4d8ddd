// The run that an event asks for: the work of the trigger with what the event says in its places.
import { RunRequestWork } from '../../contract/run-request-api.ts';
import type { RequestWriter } from '../../contract/run-request-api.ts';
import { fillBranch, fillTask } from '../../domain/trigger/fill-template.ts';
import type { TriggerEvent } from '../../domain/trigger/event.ts';
import type { TriggerRow } from '../../store/triggers/triggers.ts';

const SOURCES = { url: 'a call of a URL', github: 'GitHub', gitlab: 'GitLab' } as const;

export function workOfEvent(
  { kind, work, id }: Pick<TriggerRow, 'kind' | 'work' | 'id'>,
  event: TriggerEvent,
): RunRequestWork {
  const { task, branch, ...rest } = work;
  const values = {
    ...event.values,
    event: event.name ?? '',
    repository: event.repository ?? '',
    actor: event.actor ?? '',
  };
  // Read once more: whatever was in the values, what comes out is a request like any other.
  return RunRequestWork.parse({
    ...rest,
    ...(task !== undefined && { task: fillTask(task, values, SOURCES[kind]) }),
    ...(branch !== undefined && { branch: fillBranch(branch, values, id.slice(-8)) }),
  });
}

/** The runner asks the forge whether this person may write, before anything starts. */
export function writerOf(kind: TriggerRow['kind'], event: TriggerEvent): RequestWriter | undefined {
  if (kind === 'url') return undefined;
  const { actor, repository, host } = event;
  return {
    forge: kind,
    ...(host !== null && { host }),
    repository: repository ?? '',
    // Nobody has this name, so nobody without one may.
    login: actor ?? '',
  };
}
