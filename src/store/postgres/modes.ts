// How a database is used: what it can do decides, or the operator of the server.

export interface Chosen<Mode extends string> {
  mode: Mode;
  /** For people: what decided. */
  why: string;
}

export interface DatabaseModes {
  /** By NOTIFY, or by asking a table. */
  signals: Chosen<'notify' | 'poll'>;
  /** By an advisory lock on a session, or by the beat alone. */
  liveness: Chosen<'lock' | 'lease'>;
  /** Named statements and settings of a session: not for poolers in transaction mode. */
  prepared: Chosen<'on' | 'off'>;
}

export interface WantedModes {
  signals: 'auto' | DatabaseModes['signals']['mode'];
  liveness: 'auto' | DatabaseModes['liveness']['mode'];
  prepared: 'auto' | DatabaseModes['prepared']['mode'];
}

/** As a line of the log or a check shows them. */
export function describeModes({ signals, liveness }: DatabaseModes): string {
  const heard = signals.mode === 'notify' ? 'NOTIFY' : 'polling';
  const watched = liveness.mode;
  if (signals.why === liveness.why) return `${heard} and ${watched} (${signals.why})`;
  return `${heard} (${signals.why}) and ${watched} (${liveness.why})`;
}

/** What is asked for, else the best. */
export function chooseModes(wanted: WantedModes, best: DatabaseModes): DatabaseModes {
  const choose = <Mode extends string>(asked: 'auto' | Mode, found: Chosen<Mode>): Chosen<Mode> =>
    asked === 'auto' ? found : { mode: asked, why: 'as set' };
  return {
    signals: choose(wanted.signals, best.signals),
    liveness: choose(wanted.liveness, best.liveness),
    prepared: choose(wanted.prepared, best.prepared),
  };
}

const EMBEDDED = 'embedded database';

/** What the embedded one can do is known. */
export const EMBEDDED_MODES: DatabaseModes = {
  signals: { mode: 'notify', why: EMBEDDED },
  liveness: { mode: 'lock', why: EMBEDDED },
  prepared: { mode: 'on', why: EMBEDDED },
};
