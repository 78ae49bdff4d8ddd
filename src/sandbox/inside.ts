// Where things of ours are for a process inside, on systems that can put them there.

export const INSIDE = {
  home: '/run/millrace/home',
  /** Sockets of ours, and the objects of the copy's repository. */
  own: '/run/millrace',
  /** A Node of ours, where there are doors. */
  node: '/run/millrace/node',
} as const;
