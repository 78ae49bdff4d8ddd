// What agents of every kind are seen to do, as events of their run.
import type { AgentEvents } from '../../agents/agent-events.ts';
import type { RunContext } from './context.ts';

const MAX_TEXT = 2000;
const MAX_ARGUMENT = 300;
/** Of each kind and attempt: one that loops must not fill the journal. */
const MAX_EVENTS = 2000;

export const noteOf =
  ({ emit }: RunContext, about: string) =>
  (message: string): void =>
    void emit({
      type: 'run.note',
      level: 'info',
      code: 'AGENT',
      message: `${about}: ${message}`,
      about,
    });

/** Whether something is missing is seen. */
const cut = (text: string) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text);

export function eventsOf(
  { emit, options: { scrub } }: RunContext,
  place: { stream: string; attempt: number },
): AgentEvents {
  const counts = new Map<string, number>();
  const mayEmit = (kind: string) => {
    const before = counts.get(kind) ?? 0;
    counts.set(kind, before + 1);
    return before < MAX_EVENTS;
  };
  return {
    session({ continued, why }) {
      const reason = why === undefined ? {} : { why: cut(scrub(why)) };
      emit({ type: 'agent.session', ...place, continued, ...reason });
    },
    turn({ number, ok, durationMs, error }) {
      if (!mayEmit('turn')) return;
      const said = error === undefined ? {} : { error: cut(scrub(error)) };
      emit({ type: 'agent.turn', ...place, turn: number, ok, durationMs, ...said });
    },
    tool({ name, argument, ...duration }) {
      if (!mayEmit('tool')) return;
      const shown = scrub(argument).slice(0, MAX_ARGUMENT);
      emit({
        type: 'agent.tool',
        ...place,
        name: name.slice(0, 100),
        argument: shown,
        ...duration,
      });
    },
    refused({ what, subject, why }) {
      if (mayEmit('refused')) {
        emit({
          type: 'agent.refused',
          ...place,
          what,
          subject: subject.slice(0, MAX_ARGUMENT),
          why,
        });
      }
    },
    message(text) {
      if (mayEmit('message')) emit({ type: 'agent.message', ...place, text: cut(scrub(text)) });
    },
    thought(text) {
      if (mayEmit('thought')) emit({ type: 'agent.thought', ...place, text: cut(scrub(text)) });
    },
    changed(changed) {
      if (mayEmit('changed')) emit({ type: 'agent.changed', ...place, ...changed });
    },
  };
}
