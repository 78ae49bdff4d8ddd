// What a transaction on executions has to tell others once it is committed.
import type { Signals } from '../postgres/signals.ts';

export interface Effects {
  /** Executions that changed. */
  executions: Set<string>;
  endedJobs: Set<string>;
  /** Of these, the ones that run somewhere and must stop. */
  stoppedJobs: Set<string>;
  hasNewWork: boolean;
  hasDeliveries: boolean;
}

export function createEffects(): Effects {
  return {
    executions: new Set(),
    endedJobs: new Set(),
    stoppedJobs: new Set(),
    hasNewWork: false,
    hasDeliveries: false,
  };
}

export function announce(signals: Signals, effects: Effects): void {
  if (effects.endedJobs.size > 0) signals.emit('ended', [...effects.endedJobs]);
  if (effects.stoppedJobs.size > 0) signals.emit('cancel', [...effects.stoppedJobs]);
  if (effects.hasNewWork) signals.emit('work');
  if (effects.hasDeliveries) signals.emit('webhooks');
  if (effects.executions.size > 0) signals.emit('progress', [...effects.executions]);
}
