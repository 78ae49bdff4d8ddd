// The program of one of several processes of `millrace serve`, started by its supervisor.

// Ctrl-C reaches every process of a terminal, and systemd signals all of a service: the supervisor alone
// decides when to stop. Before all else, because loading takes a moment.
for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(name, () => {});

const { runProcess } = await import('../../../app/processes/run-process.ts');
runProcess(async (error) => {
  const { failureOf } = await import('../../failure.ts');
  return failureOf(error);
});
