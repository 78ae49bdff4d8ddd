// What the exit status says. Scripts depend on these numbers.
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notAuthorised: 4,
  limited: 5,
  unreachable: 6,
  budget: 7,
  workToDo: 10,
  timedOut: 124,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export const EXIT_MEANINGS: Record<keyof typeof EXIT, string> = {
  ok: 'success',
  failed: 'the run, job or execution failed',
  usage: 'wrong usage, or the manifest is not valid',
  notAuthorised: 'the API key is wrong, or not allowed to do this',
  limited: 'a quota or rate limit was reached, after retries',
  unreachable: 'the server or database could not be reached, after retries',
  budget: 'the budget was reached',
  workToDo: 'plan --detailed-exitcode: there is work to do',
  timedOut: 'timed out',
  hungUp: 'the terminal was closed (SIGHUP)',
  interrupted: 'interrupted with ctrl-c (SIGINT)',
  terminated: 'terminated (SIGTERM)',
};
