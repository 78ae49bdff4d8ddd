// What an agent remembers from one task to the next: its session, and the home inside that has the files of it.
//
//     kept by the attempt before ──▶ continued ──▶ continued by the next task ──▶ kept for the next attempt
//                                       │ no sign of life        ▲                     only if it ended by itself
//                                       └──▶ new, empty home ────┘
import type { SessionState } from './agent-run.ts';
import type { PrivateHome, Sandbox } from '../sandbox/sandbox.ts';

/** Where sessions are between attempts. */
export interface SessionKeeper {
  /**
   * The session of the attempt before: its files are in `home` then. Undefined where there is none; why, where there is
   * one that this attempt cannot continue.
   */
  take(home: PrivateHome): Promise<SessionState | { why: string } | undefined>;
  /** Files with one of `secrets` in them stay behind. */
  keep(session: SessionState, home: PrivateHome, secrets: readonly string[]): Promise<void>;
}

export interface AgentSession {
  /** What the next task can continue. */
  state(): SessionState | undefined;
  home(): PrivateHome;
  /** A task has ended by itself. */
  ended(state: SessionState | undefined): void;
  /** It was ended by something else, half-way through whatever it was writing. */
  cut(): void;
  /** Nothing of it is used any more. */
  renew(): void;
  /** Must not outlive the attempt. */
  hide(secrets: readonly string[]): void;
  /** Nothing runs in it any more. */
  close(how: { isKept: boolean }): Promise<void>;
}

export async function openSession(
  keeper: SessionKeeper,
  sandbox: Pick<Sandbox, 'openHome'>,
  onTaken: (taken: { continued: boolean; why?: string }) => void,
): Promise<AgentSession> {
  let home = sandbox.openHome();
  const secrets = new Set<string>();
  const taken = await keeper.take(home);
  let state: SessionState | undefined;
  function renew(): void {
    state = undefined;
    home.remove();
    home = sandbox.openHome();
  }
  if (taken !== undefined && 'id' in taken) {
    state = taken;
    onTaken({ continued: true });
  } else if (taken !== undefined) {
    renew();
    onTaken({ continued: false, why: taken.why });
  }
  return {
    state: () => state,
    home: () => home,
    ended: (next) => (state = next),
    cut: () => (state = undefined),
    renew,
    hide: (more) => more.forEach((secret) => secrets.add(secret)),
    async close({ isKept }) {
      try {
        if (isKept && state !== undefined) await keeper.keep(state, home, [...secrets]);
      } finally {
        home.remove();
      }
    },
  };
}
