import { rules } from './rules.ts';

export const TRIGGER_RULES = [
  ...rules('decisions 22', 'triggers', {
    'triggers.routes':
      '/v1/triggers can be created, listed, read, changed, paused, resumed, rotated, tested and deleted; the secret is shown once.',
    'triggers.events':
      'Labels, commands in comments, pushes, failed checks and reviews of GitHub and GitLab are read; other events start nothing.',
    'triggers.loops': 'What Millrace itself has written or pushed starts nothing.',
    'triggers.filters': 'Label, branch, path, author and command are filters.',
    'triggers.data':
      'What strangers wrote is quoted below the task as data, without escape sequences and control characters, and bounded.',
    'triggers.template': 'A template names known values only.',
    'triggers.branch': 'The name of a branch from an event is one that git takes, below millrace/.',
    'triggers.signatures':
      'A call shows the token of the URL, or a signature of GitHub or GitLab over the bytes of its body; anything else is 401.',
    'triggers.stale': 'A signed time that is more than five minutes off is refused.',
    'triggers.once':
      'A delivery is known by the digest of its body: a repeat is 200 with the first result, also of two at once on two nodes.',
    'triggers.limits':
      'Bodies that are too large, too deep, not JSON or not UTF-8 are refused; calls without the secret are counted and not kept.',
    'triggers.writer': 'Who did it goes with the request, so that the runner asks the forge first.',
    'triggers.rules':
      'Overlap, budget, failures in a row and the owner are judged as for schedules.',
    'triggers.replay': 'A delivery can be replayed by the rules of today.',
    'triggers.rotate': 'After a rotation the secret of before is good for its grace period.',
    'triggers.commands': 'The commands of triggers do what the API does, and say what is wrong.',
  }),
];
