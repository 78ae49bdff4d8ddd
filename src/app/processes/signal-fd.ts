/** The pipe for wake-ups, beside standard input, output, error and the channel of messages. */
export const SIGNAL_FD = 4;
