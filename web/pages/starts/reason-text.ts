// Why something is paused, or was not started, in words.
import { PAUSE_REASONS, SKIP_REASONS } from '../../../src/contract/start-reasons.ts';
import { IGNORE_REASONS } from '../../../src/contract/trigger-events.ts';

const REASONS: Readonly<Record<string, string>> = {
  ...IGNORE_REASONS,
  ...SKIP_REASONS,
  ...PAUSE_REASONS,
  inactive: 'The trigger was paused',
};

export const reasonText = (reason: string): string => REASONS[reason] ?? reason;
