import { rules } from './rules.ts';

export const RUNNER_RULES = [
  ...rules('decisions 22', 'runners', {
    'runners.request': 'POST /v1/run-requests (202) asks for a run that a runner makes.',
    'runners.request.checked':
      'A request that names no work, a path out of the project, or a branch that is not millrace/... is refused.',
    'runners.claimed-once': 'Of several runners of a project one takes a request.',
    'runners.lease': 'A runner that is silent for its lease gives its requests to others.',
    'runners.server-away': 'A server that was away costs no runner its requests.',
    'runners.fence': 'What a runner says of a request that another one has taken is refused.',
    'runners.in-place': 'A request that works in place never moves to another runner.',
    'runners.cancel': 'Cancelling reaches the runner within a second.',
    'runners.fair': 'Of the members of a team the one with the least under way is next.',
    'runners.limit': 'A project runs no more at once than its limit.',
    'runners.losses': 'A request that has cost five runners is given up.',
    'runners.drain': 'A runner that drains takes nothing new.',
    'runners.waits-for': 'A request that waits says what it waits for.',
    'runners.news':
      'Those who follow a team hear of its requests and of runners that come, go and fall silent.',
    'runners.of-run': 'The requests of a run are those that made it or do something with it.',
    'runners.command':
      'millrace runner makes a run on a branch of its own, as the person who asked, and leaves the checkout as it was.',
    'runners.taken-over':
      'A run that another runner takes over begins at the recorded commit and pays for no answer twice.',
    'runners.given-back': 'A runner that is stopped gives back what it has under way.',
    'runners.consent':
      'Commands run in the sandbox, and reach what the owner of the machine has allowed there, whatever a request says.',
    'runners.hostile-server':
      'Whatever a server gives a runner, no command runs outside of the sandbox, no file is written that a stream does not own, and the checkout stays as it is.',
    'runners.writer':
      'Where an event asks for a run, the runner asks the forge whether its author may write, before anything starts.',
    'runners.secrets':
      'Variables of a project stay on the runner, and runs get nothing of the credentials of the runner.',
    'runners.task': 'A task in words is planned with the repository of the runner, and run.',
    'runners.requests-command':
      'millrace requests asks for runs, lists, shows, follows and cancels them.',
    'runners.follow-up':
      'What a runner made is resumed, taken back and reviewed where it was made.',
    'runners.clones':
      'Clones of a runner have a size; folders that nobody uses go after a time, and never work that is nowhere else.',
    'runners.agents':
      'Agents work for others where the owner of the runner has not limited them, and with the login of the owner where that is allowed for runs of others.',
    'runners.one-of-a-machine': 'A state folder has one runner at a time.',
    'runners.spare':
      'A runner keeps one command loaded, which knows nothing of it, ends with it, and is not needed.',
    'runners.assistants':
      'An assistant lists projects, starts a run on a runner, follows and stops it.',
    'runners.token':
      'A run acts as the person who asked for it, with no more rights than a run needs.',
  }),
];
