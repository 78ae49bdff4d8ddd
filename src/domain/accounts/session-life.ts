// How long a user stays signed in.

export type SessionKind = 'session' | 'device';

export const SESSION_LIFE: Readonly<
  Record<
    SessionKind,
    { /** After the last use. */ idleDays: number; /** In all. */ totalDays: number }
  >
> = {
  session: { idleDays: 7, totalDays: 30 },
  // A command line may be idle over its user's holiday.
  device: { idleDays: 30, totalDays: 90 },
};
