// Who works on a stream, behind one interface. A worker proposes changes; the caller alone applies and verifies them,
// and does not know which kind worked.
//
//     work ──▶ proposal ──▶ applied and verified ──▶ accepted
//                ▲             │ refused
//                └── revise ◀──┘ as often as the kind allows
//
// `close` ends everything that the worker started, however the attempt ended.
import type { Operation } from '../contract/artifact.ts';
import type { ApplyProblem } from '../domain/artifact/apply-problem.ts';
import type { StreamFailure } from '../domain/run/failure-class.ts';
import type { Halt } from '../domain/run/halt.ts';

export type Proposal =
  | {
      kind: 'changes';
      operations: readonly Operation[];
      summary: string;
      /** Texts are meant to the last byte, as in the copy of a program; those of a model are put into the form of the file. */
      isExact?: true;
      /** No revision follows: what a check of ours alone minds may pass, where commands judge it. */
      isLast: boolean;
    }
  | { kind: 'failed'; failure: StreamFailure }
  /** Not the worker's fault: nothing can be run as things are. */
  | { kind: 'halted'; halt: Halt }
  | { kind: 'stopped' };

/** In the middle of its work: the worker ends with a proposal of the kind `halted`. */
export class HaltedError extends Error {
  override name = 'HaltedError';
  readonly halt: Halt;

  constructor(halt: Halt) {
    super(halt.reason);
    this.halt = halt;
  }
}

export interface Worker {
  work(): Promise<Proposal>;
  /** After changes that cannot be applied. Undefined where asking on would not help. */
  revise(problems: readonly ApplyProblem[]): Promise<Proposal | undefined>;
  /** The last proposal is applied and has passed its checks. */
  accepted(operations: readonly Operation[]): Promise<void>;
  /** What it said last: what a fix gets to know where nothing came of the attempt. */
  lastWords(): string | undefined;
  close(): Promise<void>;
}
