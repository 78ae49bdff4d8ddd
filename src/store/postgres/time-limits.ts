// How long the database may take for what. All follow from one figure, how long a worker may be silent before it is
// given up, so that they keep their order: requests are refused before a worker stops its calls, and it stops them
// before others start its jobs again.

export const USUAL_SILENCE_MS = 8_000;
/** Before the database is asked whether it is there at all. */
export const ASK_AFTER_MS = 1_000;

/** For the first connection of a start: a machine that is busy starting much else is no database that is not there. */
export function startMs(silenceMs = USUAL_SILENCE_MS): number {
  return 30_000 * Math.max(1, silenceMs / USUAL_SILENCE_MS);
}

export function timeLimits(silenceMs = USUAL_SILENCE_MS) {
  const scaled = (usualMs: number) => Math.round((usualMs * silenceMs) / USUAL_SILENCE_MS);
  return {
    connectMs: scaled(5_000),
    queryMs: scaled(30_000),
    /**
     * On the connection that readers share. Shorter than for queries, because one silent connection holds up every
     * reader, and a read that takes this long did not belong there.
     */
    readMs: scaled(10_000),
    idleInTransactionMs: scaled(30_000),
    /** With ASK_AFTER_MS usually well below the 6 s in which a caller must learn that the service is unavailable. */
    answerMs: scaled(4_500) - ASK_AFTER_MS,
    /** How often a listening session has to prove that it lives, and how long it may take to. */
    heartbeatMs: scaled(5_000),
    beatMs: scaled(3_000),
    /** Earlier than the silence by enough that calls have stopped when the jobs start elsewhere. */
    selfFenceMs: scaled(6_000),
  };
}
