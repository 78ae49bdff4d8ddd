// TEST_DATABASE_MODE=poll+lease runs the servers of all tests without LISTEN and without locks on sessions,
// as they run on databases that have neither.

const PARTS: Record<string, Record<string, string>> = {
  poll: { MILLRACE_DATABASE_SIGNALS: 'poll' },
  notify: { MILLRACE_DATABASE_SIGNALS: 'notify' },
  lease: { MILLRACE_DATABASE_LIVENESS: 'lease' },
  lock: { MILLRACE_DATABASE_LIVENESS: 'lock' },
};

/**
 * How long a server may be silent. A machine that runs the suite may stand still for many seconds, which is neither a
 * silent database nor a dead worker; workers that tests make silent are to be given up sooner.
 */
const PATIENT_SECONDS = 120;
const SOON_SECONDS = 20;
export const PATIENT_MS = PATIENT_SECONDS * 1000;

/** Settings for servers, as the environment of the suite wants them. */
export function modeSettings({ silentSeconds = PATIENT_SECONDS } = {}): Record<string, string> {
  const asked = process.env['TEST_DATABASE_MODE'] ?? '';
  const parts = asked === '' ? [] : asked.split('+');
  // With leases, killed workers are noticed by their silence alone, and every test of them would wait for it.
  const silence = parts.includes('lease') ? SOON_SECONDS : silentSeconds;
  return Object.assign(
    { MILLRACE_DATABASE_SILENCE_SECONDS: String(silence) },
    ...parts.map((part) => {
      if (!Object.hasOwn(PARTS, part)) throw new Error(`TEST_DATABASE_MODE: unknown "${part}"`);
      return PARTS[part];
    }),
  ) as Record<string, string>;
}

/** For workers that a test makes silent. */
export const soonGivenUp = () => modeSettings({ silentSeconds: SOON_SECONDS });

/** For tests of what depends on the mode, whatever the suite runs with. */
export const POLL_AND_LEASE = { databaseSignals: 'poll', databaseLiveness: 'lease' } as const;
