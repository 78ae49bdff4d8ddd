// TEST_DATABASE_MODE=poll+lease runs the servers of all tests without LISTEN and without locks on sessions,
// as they run on databases that have neither.

const PARTS: Record<string, Record<string, string>> = {
  poll: { MILLRACE_DATABASE_SIGNALS: 'poll' },
  notify: { MILLRACE_DATABASE_SIGNALS: 'notify' },
  lease: { MILLRACE_DATABASE_LIVENESS: 'lease' },
  lock: { MILLRACE_DATABASE_LIVENESS: 'lock' },
};

/** Settings for servers, as the environment of the suite wants them. */
export function modeSettings(): Record<string, string> {
  const asked = process.env['TEST_DATABASE_MODE'] ?? '';
  const parts = asked === '' ? [] : asked.split('+');
  return Object.assign(
    {},
    ...parts.map((part) => {
      if (!Object.hasOwn(PARTS, part)) throw new Error(`TEST_DATABASE_MODE: unknown "${part}"`);
      return PARTS[part];
    }),
  ) as Record<string, string>;
}

/** For tests of what depends on the mode, whatever the suite runs with. */
export const POLL_AND_LEASE = { databaseSignals: 'poll', databaseLiveness: 'lease' } as const;
