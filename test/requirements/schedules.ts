import { rules } from './rules.ts';

export const SCHEDULE_RULES = [
  ...rules('decisions 22', 'schedules', {
    'schedules.cron': 'A cron pattern that is wrong or never due is refused with the reason.',
    'schedules.daylight-saving':
      'A fixed time that does not exist is due once, at the first moment after the gap; one that exists twice is due once; intervals run through.',
    'schedules.catch-up':
      'After times that were missed a schedule starts once or not at all, as its rule says, and its log says what was missed.',
  }),
];
