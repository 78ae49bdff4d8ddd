// TEST_DATABASE_MODE=poll+lease runs the servers of all tests without LISTEN and without locks on sessions,
// as they run on databases that have neither.

const PARTS: Record<string, Record<string, string>> = {
  poll: { MILLRACE_DATABASE_SIGNALS: 'poll' },
  notify: { MILLRACE_DATABASE_SIGNALS: 'notify' },
  lease: { MILLRACE_DATABASE_LIVENESS: 'lease' },
  lock: { MILLRACE_DATABASE_LIVENESS: 'lock' },
};

/**
 * A machine that runs the suite may stand still for many seconds. That is neither a silent database nor a dead worker;
 * tests of those say for themselves what is too long.
 */
const PATIENT_SECONDS = 120;
export const PATIENT_MS = PATIENT_SECONDS * 1000;
/** As servers are unless told. */
export const USUAL_SILENCE = { MILLRACE_DATABASE_SILENCE_SECONDS: '8' };

/** Settings for servers, as the environment of the suite wants them. */
export function modeSettings(): Record<string, string> {
  const asked = process.env['TEST_DATABASE_MODE'] ?? '';
  const parts = asked === '' ? [] : asked.split('+');
  return Object.assign(
    {},
    // Where killed workers are noticed by their silence alone, tests would wait for it.
    parts.includes('lease')
      ? USUAL_SILENCE
      : { MILLRACE_DATABASE_SILENCE_SECONDS: String(PATIENT_SECONDS) },
    ...parts.map((part) => {
      if (!Object.hasOwn(PARTS, part)) throw new Error(`TEST_DATABASE_MODE: unknown "${part}"`);
      return PARTS[part];
    }),
  ) as Record<string, string>;
}

/** For tests of what depends on the mode, whatever the suite runs with. */
export const POLL_AND_LEASE = { databaseSignals: 'poll', databaseLiveness: 'lease' } as const;
