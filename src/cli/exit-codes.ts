// What the exit status says. Scripts depend on these numbers.
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 6,
} as const;
