// "Why is it waiting?", in words.
import type { WaitReason } from '../../../src/contract/run-events.ts';
import type { StreamRow } from '../../../src/domain/run/projection.ts';

const REASONS: Readonly<Record<WaitReason, string>> = {
  rate_limited: 'The server asks to slow down',
  key_paused: 'The vendor does not take calls with this key for now',
  retry: 'A request failed and is sent again',
  concurrency: 'All places of the server are taken',
  files: 'Another stream is writing and checking its files',
  review: 'Waits for you to look through its changes',
};

/** Undefined when it does not wait for anything but other streams. */
export function waitingText({ waiting }: Pick<StreamRow, 'waiting'>): string | undefined {
  if (waiting === undefined) return undefined;
  const { reason, detail, until } = waiting;
  const text = REASONS[reason] ?? reason;
  const when = until === undefined ? '' : `, until ${new Date(until).toLocaleTimeString()}`;
  return `${text}${detail ? ` (${detail})` : ''}${when}`;
}
