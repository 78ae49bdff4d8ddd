// Why something is paused, or was not started, in words.
import { PAUSE_REASONS, SKIP_REASONS } from '../../../contract/start-reasons.ts';

const REASONS: Readonly<Record<string, string>> = { ...SKIP_REASONS, ...PAUSE_REASONS };

export const reasonText = (reason: string): string => REASONS[reason] ?? reason;
