// The program of one of several processes of `millrace serve`, started by its supervisor.
import { runProcess } from '../../../app/processes/run-process.ts';

runProcess(async (error) => {
  const { failureOf } = await import('../../failure.ts');
  return failureOf(error);
});
