// Whether what is on the page is how things are now.
import { Pause, Play } from '../ui/icons.tsx';
import { IconButton } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { useNow } from '../ui/time.tsx';
import { formatDuration } from '../ui/format.ts';
import { pauseLive, resumeLive, useLiveState } from '../live/live.ts';

const LOOKS = {
  live: 'text-good bg-good-soft',
  connecting: 'text-soft bg-sunken',
  reconnecting: 'text-warn bg-warn-soft',
  offline: 'text-bad bg-bad-soft',
  paused: 'text-violet bg-violet-soft',
} as const;

export function LivePill() {
  const { connection, since, isPaused } = useLiveState();
  const now = useNow();
  const state = isPaused ? 'paused' : connection;
  const words = {
    live: 'Live',
    connecting: 'Connecting',
    reconnecting: `Reconnecting, ${formatDuration(Math.max(1000, now - since))}`,
    offline: `Offline since ${new Date(since).toLocaleTimeString()}`,
    paused: `Paused at ${new Date(since).toLocaleTimeString()}`,
  }[state];
  return (
    <div className="flex items-center gap-1">
      <span
        role="status"
        className={cx(
          'inline-flex h-6 items-center gap-1.5 rounded-full px-2.5 text-xs font-medium whitespace-nowrap tabular',
          LOOKS[state],
        )}
      >
        <span
          aria-hidden
          className={cx('size-1.5 rounded-full bg-current', state === 'live' && 'pulse')}
        />
        {words}
      </span>
      <IconButton
        name={isPaused ? 'Resume live updates' : 'Pause live updates'}
        onClick={isPaused ? resumeLive : pauseLive}
      >
        {isPaused ? <Play /> : <Pause />}
      </IconButton>
    </div>
  );
}
