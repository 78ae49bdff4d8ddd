// What is known of a stream before anything happened to it.
import type { StreamRow } from './projection.ts';
import { NO_TOKENS } from './replay.ts';

export function newRow(id: string): StreamRow {
  return {
    id,
    name: id,
    wave: 1,
    status: 'pending',
    waitsFor: [],
    fixOf: undefined,
    fixes: [],
    attempt: 0,
    round: undefined,
    rung: undefined,
    tokens: { ...NO_TOKENS },
    costUsd: 0,
    estimatedUsd: undefined,
    savedUsd: undefined,
    liveTokens: 0,
    openCalls: 0,
    waiting: undefined,
    followUp: undefined,
    startedAt: undefined,
    durationMs: 0,
    command: undefined,
    agent: undefined,
    activity: undefined,
    changing: undefined,
    failedCommand: undefined,
    error: undefined,
    failureClass: undefined,
    changes: [],
    isDenied: false,
  };
}
