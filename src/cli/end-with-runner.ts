// A command that a runner has started for a request ends with the runner, however that ends: the request goes to another one.
import { REQUEST_VARIABLE } from '../runner/request-env.ts';

/** As by ctrl-c: what has to be put in order first is. */
export function endWithRunner(): void {
  if (process.env[REQUEST_VARIABLE] === undefined || process.send === undefined) return;
  const stop = () => process.kill(process.pid, 'SIGINT');
  if (process.connected) process.once('disconnect', stop);
  else stop();
  // The command ends when it is done, not when the runner ends.
  process.channel?.unref();
}
