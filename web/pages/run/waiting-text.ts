// "Why is it waiting?", in words.
import type { WaitReason } from '../../../src/contract/run-events.ts';
import type { RunProjection, StreamRow } from '../../../src/domain/run/projection.ts';

const REASONS: Readonly<Record<WaitReason, string>> = {
  rate_limited: 'The server asks to slow down',
  key_paused: 'The vendor does not take calls with this key for now',
  retry: 'A request failed and is sent again',
  concurrency: 'All places of the server are taken',
  files: 'Another stream is writing and checking its files',
  review: 'Waits for you to look through its changes',
  approval: 'Waits for approval',
};

/** Without an end: for what is over. */
export function waitReasonText(reason: WaitReason, detail: string | undefined): string {
  const text = REASONS[reason] ?? reason;
  return detail ? `${text} (${detail})` : text;
}

/** Undefined when it does not wait for anything but other streams. */
export function waitingText({ waiting }: Pick<StreamRow, 'waiting'>): string | undefined {
  if (waiting === undefined) return undefined;
  const { reason, detail, until } = waiting;
  const when = until === undefined ? '' : `, until ${new Date(until).toLocaleTimeString()}`;
  return `${waitReasonText(reason, detail)}${when}`;
}

/** Streams before this one that are not done. */
function openBefore(
  { streams }: Pick<RunProjection, 'streams'>,
  { waitsFor }: Pick<StreamRow, 'waitsFor'>,
): string[] {
  return waitsFor.filter((id) => {
    const { status, isDenied } = streams.get(id) ?? {};
    if (isDenied) return true;
    return status !== 'complete' && status !== 'skipped';
  });
}

/** The same as `pendingText` in a few words, with ids: for the graph. */
export function nodeText(projection: RunProjection, row: StreamRow): string {
  const open = openBefore(projection, row);
  if (open.length === 0) return 'ready to start';
  return `${row.status === 'blocked' ? 'blocked by' : 'waits for'} ${open.join(', ')}`;
}

/** What a stream that has not started waits for; undefined when it has. */
export function pendingText({ streams }: RunProjection, row: StreamRow): string | undefined {
  if (row.status !== 'pending' && row.status !== 'blocked') return undefined;
  const open = openBefore({ streams }, row);
  if (open.length === 0) return 'Ready: starts when a place is free';
  const names = open.map((id) => streams.get(id)?.name ?? id).join(', ');
  return row.status === 'blocked' ? `Blocked until ${names} is fixed` : `Waits for ${names}`;
}

/** Why a run is paused; undefined when it is not. */
export function pausedText({ end }: Pick<RunProjection, 'end'>): string | undefined {
  return end?.type === 'run.paused' ? end.reason : undefined;
}
