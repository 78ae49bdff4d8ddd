// What an agent did in its attempts, in the order in which it was seen.
import type { RunEvent } from '../../../../src/contract/run-events.ts';

export type AgentStep = { seq: number; at: number; attempt: number } & (
  | { kind: 'start'; agent: string }
  | { kind: 'turn'; turn: number; ok: boolean; durationMs: number; error: string | undefined }
  | { kind: 'tool'; name: string; argument: string; durationMs: number | undefined }
  | { kind: 'refused'; subject: string; why: string }
  | { kind: 'message'; text: string }
);

export function agentStepsIn(events: readonly RunEvent[], streamId: string): AgentStep[] {
  const steps: AgentStep[] = [];
  for (const event of events) {
    if (!('stream' in event) || event.stream !== streamId || !('attempt' in event)) continue;
    const head = { seq: event.seq, at: Date.parse(event.ts), attempt: event.attempt };
    switch (event.type) {
      case 'stream.started':
        if (event.agent !== undefined) steps.push({ ...head, kind: 'start', agent: event.agent });
        break;
      case 'agent.turn': {
        const { turn, ok, durationMs, error } = event;
        steps.push({ ...head, kind: 'turn', turn, ok, durationMs, error });
        break;
      }
      case 'agent.tool': {
        const { name, argument, durationMs } = event;
        steps.push({ ...head, kind: 'tool', name, argument, durationMs });
        break;
      }
      case 'agent.refused':
        steps.push({ ...head, kind: 'refused', subject: event.subject, why: event.why });
        break;
      case 'agent.message':
        steps.push({ ...head, kind: 'message', text: event.text });
        break;
      default:
    }
  }
  return steps;
}
