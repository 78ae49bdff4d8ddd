// How the built-in agent asks its model: one turn after the other, each of which is paid for once.
import type { AssistantMessage, Message } from '../../contract/conversation-api.ts';
import type { Proposal } from '../worker.ts';
import type { LoopState } from './watch-turns.ts';

/** All that a process has to know to continue. */
export interface Talk {
  messages: Message[];
  state: LoopState;
}

export type TurnAnswer =
  | { kind: 'said'; message: AssistantMessage; isCutOff: boolean }
  | { kind: 'ended'; proposal: Exclude<Proposal, { kind: 'changes' }> };

export interface LoopTurns {
  /** The last turn that an earlier process has asked. */
  earlier(): Promise<{ turn: number; talk: Talk } | undefined>;
  /** `talk` of the answer: what was really asked, by this process or the one before. */
  ask(turn: number, talk: Talk): Promise<{ answer: TurnAnswer; talk: Talk }>;
  /** The answers led to files that passed their checks. */
  accepted(): Promise<void>;
}
