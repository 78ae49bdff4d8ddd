import type { Fields } from './field.ts';

/** At the top, in both notations. */
export const COMMAND_PLACE_FIELDS = {
  sandboxCommands: {
    type: { kind: 'boolean' },
    about:
      'Run setup, verify and other commands in the sandbox, each in a fresh copy of the project.',
    default: false,
    example: 'true',
  },
  commandNetwork: {
    type: { kind: 'hosts', words: ['none'] },
    about: 'What commands may reach from the sandbox: none, or these hosts on ports 80 and 443.',
    default: 'none',
    example: '[registry.example.com]',
  },
} as const satisfies Fields;
