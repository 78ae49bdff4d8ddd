import type { FailureKind } from '../provider.ts';

/** A tool that the answer calls. */
export interface ScriptedCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** What the directives of a prompt ask for. */
export interface Script {
  ttftMs?: number;
  chunkMs?: number;
  tokens?: number;
  hang?: boolean;
  artifact: 'json' | 'edits' | 'bad' | 'none';
  reply?: string;
  /** Of what shape a plan is, where the prompt asks for one. */
  plan?: { steps: number; waves: number };
  /** One turn of the model after another: what it calls at once. */
  calls?: ScriptedCall[][];
  failure?: ScriptedFailure;
  /** A directive that is not understood: the answer is a refusal that says so. */
  problem?: string;
}

export interface ScriptedFailure {
  kind: FailureKind;
  afterTokens: number;
  /** How many calls fail before one succeeds; without it, all of them. */
  times?: number;
  retryAfterMs?: number;
}
