// When a conversation leads nowhere: the same call again and again, or turns without a change.
import { NO_CHANGE_YET, SAME_CALL } from '../../domain/prompt/loop-text.ts';
import { z } from 'zod';

const SAME_CALLS = 3;
const QUIET_TURNS = 8;

/** Kept with each question, so that a process that takes over counts on. */
export const LoopState = z.object({
  lastCall: z.string(),
  sameCalls: z.int(),
  quietTurns: z.int(),
  /** It was asked to use its tools. */
  isReminded: z.boolean(),
  /** Something was changed. */
  hasChanged: z.boolean(),
  cutOffs: z.int(),
  revisions: z.int(),
});
export type LoopState = z.infer<typeof LoopState>;

export const NEW_LOOP: LoopState = {
  lastCall: '',
  sameCalls: 0,
  quietTurns: 0,
  isReminded: false,
  hasChanged: false,
  cutOffs: 0,
  revisions: 0,
};

export type Watch =
  | { kind: 'fine' }
  | { kind: 'warn'; text: string }
  /** The end of the attempt. */
  | { kind: 'end'; error: string };

/** Before a call is made. */
export function watchCall(state: LoopState, call: string): Watch {
  state.sameCalls = call === state.lastCall ? state.sameCalls + 1 : 1;
  state.lastCall = call;
  if (state.sameCalls > SAME_CALLS) {
    const error = `The agent made the same call ${state.sameCalls} times in a row: ${call.slice(0, 300)}`;
    return { kind: 'end', error };
  }
  return state.sameCalls === SAME_CALLS ? { kind: 'warn', text: SAME_CALL } : { kind: 'fine' };
}

/** After a turn. */
export function watchTurn(state: LoopState, { hasChanged }: { hasChanged: boolean }): Watch {
  state.quietTurns = hasChanged ? 0 : state.quietTurns + 1;
  if (hasChanged) state.hasChanged = true;
  if (state.quietTurns >= 2 * QUIET_TURNS) {
    const error = `The agent changed nothing in ${state.quietTurns} turns.`;
    return { kind: 'end', error };
  }
  return state.quietTurns === QUIET_TURNS
    ? { kind: 'warn', text: NO_CHANGE_YET }
    : { kind: 'fine' };
}
