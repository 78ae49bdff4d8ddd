// One of the processes of a server could not start, so the server does not.
import type { StartFailure } from './messages.ts';

export class ProcessStartError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly exit: number;

  constructor({ code, message, hint, exit }: StartFailure) {
    super(message);
    this.name = 'ProcessStartError';
    this.code = code;
    this.hint = hint;
    this.exit = exit;
  }
}
