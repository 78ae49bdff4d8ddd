// How a database is used: what it can do decides, or whoever runs the server.

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
  const heard = signals.mode === 'notify' ? 'signals by NOTIFY' : 'signals by polling';
  const watched = liveness.mode === 'lock' ? 'nodes by lock' : 'nodes by lease';
  return `${heard} (${signals.why}), ${watched} (${liveness.why})`;
}

/** What a database can do, where it was not asked. */
export function chooseModes(wanted: WantedModes): DatabaseModes {
  const choose = <Mode extends string>(asked: 'auto' | Mode, best: Mode): Chosen<Mode> =>
    asked === 'auto' ? { mode: best, why: 'as usual' } : { mode: asked, why: 'as set' };
  return {
    signals: choose(wanted.signals, 'notify'),
    liveness: choose(wanted.liveness, 'lock'),
    prepared: choose(wanted.prepared, 'on'),
  };
}
