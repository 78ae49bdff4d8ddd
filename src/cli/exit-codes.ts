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
  interrupted: 130,
  terminated: 143,
} as const;

export const EXIT_MEANINGS: Record<keyof typeof EXIT, string> = {
  ok: 'the command did what it was asked for',
  failed: 'the run or the job failed',
  usage: 'the command was called wrongly, or the manifest is not valid',
  notAuthorised: 'the key is wrong, or may not do this',
  limited: 'a quota or a rate limit held, retries included',
  unreachable: 'the server or the database does not answer, retries included',
  budget: 'the budget was reached',
  workToDo: 'plan --detailed-exitcode: there is work to do',
  timedOut: 'the time allowed was over',
  interrupted: 'interrupted with ctrl-c (SIGINT)',
  terminated: 'terminated (SIGTERM)',
};
