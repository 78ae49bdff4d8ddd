import { rules } from './rules.ts';

export const RUNNER_RULES = [
  ...rules('decisions 22', 'runners', {
    'runners.request': 'POST /v1/run-requests (202) asks for a run that a runner makes.',
    'runners.request.checked':
      'A request that names no work, a path out of the project, or a branch that is not millrace/... is refused.',
    'runners.claimed-once': 'Of several runners of a project one takes a request.',
    'runners.lease': 'A runner that is silent for its lease gives its requests to others.',
    'runners.fence': 'What a runner says of a request that another one has taken is refused.',
    'runners.in-place': 'A request that works in place never moves to another runner.',
    'runners.cancel': 'Cancelling reaches the runner within a second.',
    'runners.fair': 'Of the members of a team the one with the least under way is next.',
    'runners.limit': 'A project runs no more at once than its limit.',
    'runners.losses': 'A request that has cost five runners is given up.',
    'runners.drain': 'A runner that drains takes nothing new.',
    'runners.waits-for': 'A request that waits says what it waits for.',
    'runners.token':
      'A run acts as the person who asked for it, with no more rights than a run needs.',
  }),
];
