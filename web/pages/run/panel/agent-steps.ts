// What an agent did in its attempts, in the order in which it was seen.
import type { RunEvent } from '../../../../src/contract/run-events.ts';

type Done =
  | { kind: 'start'; agent: string }
  | { kind: 'session'; continued: boolean; why: string | undefined }
  | { kind: 'turn'; turn: number; ok: boolean; durationMs: number; error: string | undefined }
  | { kind: 'tool'; name: string; argument: string; durationMs: number | undefined }
  | { kind: 'refused'; subject: string; why: string }
  | { kind: 'message' | 'thought'; text: string }
  | { kind: 'changed'; files: number; additions: number; deletions: number };

export type AgentStep = { seq: number; at: number; attempt: number } & Done;

function doneIn(event: RunEvent): Done | undefined {
  if (event.type === 'stream.started') {
    return event.agent === undefined ? undefined : { kind: 'start', agent: event.agent };
  }
  if (event.type === 'agent.session') {
    return { kind: 'session', continued: event.continued, why: event.why };
  }
  if (event.type === 'agent.turn') {
    const { turn, ok, durationMs, error } = event;
    return { kind: 'turn', turn, ok, durationMs, error };
  }
  if (event.type === 'agent.tool') {
    const { name, argument, durationMs } = event;
    return { kind: 'tool', name, argument, durationMs };
  }
  if (event.type === 'agent.refused') {
    return { kind: 'refused', subject: event.subject, why: event.why };
  }
  if (event.type === 'agent.changed') {
    const { files, additions, deletions } = event;
    return { kind: 'changed', files, additions, deletions };
  }
  if (event.type === 'agent.thought') return { kind: 'thought', text: event.text };
  return event.type === 'agent.message' ? { kind: 'message', text: event.text } : undefined;
}

export function agentStepsIn(events: readonly RunEvent[], streamId: string): AgentStep[] {
  return events.flatMap((event) => {
    if (!('stream' in event) || event.stream !== streamId || !('attempt' in event)) return [];
    const done = doneIn(event);
    const { seq, ts, attempt } = event;
    return done === undefined ? [] : [{ seq, at: Date.parse(ts), attempt, ...done }];
  });
}
