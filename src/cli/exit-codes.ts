// What the exit status says. Scripts depend on these numbers.
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notAuthorised: 4,
  limited: 5,
  unreachable: 6,
  interrupted: 130,
} as const;
