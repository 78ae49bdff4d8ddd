import { rules } from './rules.ts';

export const SCHEDULE_RULES = [
  ...rules('decisions 22', 'schedules', {
    'schedules.routes':
      '/v1/schedules can be created, listed, read, changed, paused, resumed and deleted; the next five times are shown.',
    'schedules.firing':
      'A schedule that is due asks for its run as its owner; its log shows what each time came to.',
    'schedules.once':
      'Each time is used once, whatever node or session dies in the middle, on however many nodes.',
    'schedules.run-now': 'A schedule can be run once by a person, also while it is paused.',
    'schedules.overlap':
      'While an earlier run has not ended, a schedule skips, queues or cancels the earlier one.',
    'schedules.budget':
      'A schedule with a budget bounds what a run may cost by what is left of it, and starts none when it is spent.',
    'schedules.paused':
      'A schedule is paused after failures in a row, with an audit entry and a webhook event.',
    'schedules.owner':
      'A schedule whose owner leaves the team, is suspended or becomes a viewer is paused; who resumes it or changes its work owns it.',
    'schedules.commands': 'The commands of schedules do what the API does, and say what is wrong.',
    'schedules.cron': 'A cron pattern that is wrong or never due is refused with the reason.',
    'schedules.daylight-saving':
      'A fixed time that does not exist is due once, at the first moment after the gap; one that exists twice is due once; intervals run through.',
    'schedules.catch-up':
      'After times that were missed a schedule starts once or not at all, as its rule says, and its log says what was missed.',
  }),
];
