/** Colours of syntax by their numbers. Each can be read on every background that a line has, in both themes. */
export const LOOKS = [
  'text-violet',
  'text-info',
  'text-soft italic',
  'text-accent-strong',
] as const;
