/** The pipe between siblings, beside standard input, output, error and the channel of messages. */
export const LINK_FD = 4;
