// One of the processes of a server could not start, so the server does not.
import type { StartFailure } from './messages.ts';

export class ProcessStartError extends Error {
  readonly failure: StartFailure;

  constructor(failure: StartFailure) {
    super(failure.message);
    this.name = 'ProcessStartError';
    this.failure = failure;
  }
}
