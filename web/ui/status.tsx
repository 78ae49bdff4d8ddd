// States of runs, streams, jobs and executions: always an icon and a word, never a colour alone.
import { Clock } from './frame-icons.tsx';
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleSlash,
  LoaderCircle,
  SkipForward,
  CircleX,
} from './icons.tsx';
import type { ComponentType } from 'react';
import { cx } from './class-names.ts';

interface Look {
  word: string;
  text: string;
  soft: string;
  /** For bars and edges. */
  fill: string;
  Icon: ComponentType<{ className?: string }>;
  isMoving?: boolean;
}

const WAITING: Look = {
  word: 'Waiting',
  text: 'text-soft',
  soft: 'bg-sunken',
  fill: 'var(--line-strong)',
  Icon: CircleDashed,
};
const RUNNING: Look = {
  word: 'Running',
  text: 'text-info',
  soft: 'bg-info-soft',
  fill: 'var(--info)',
  Icon: LoaderCircle,
  isMoving: true,
};
const DONE: Look = {
  word: 'Complete',
  text: 'text-good',
  soft: 'bg-good-soft',
  fill: 'var(--good)',
  Icon: CircleCheck,
};
const FAILED: Look = {
  word: 'Failed',
  text: 'text-bad',
  soft: 'bg-bad-soft',
  fill: 'var(--bad)',
  Icon: CircleX,
};
const CANCELLED: Look = {
  word: 'Cancelled',
  text: 'text-soft',
  soft: 'bg-sunken',
  fill: 'var(--faint)',
  Icon: Ban,
};

const LOOKS: Readonly<Record<string, Look>> = {
  pending: WAITING,
  queued: { ...WAITING, word: 'Queued', Icon: Clock },
  planning: { ...RUNNING, word: 'Planning' },
  running: RUNNING,
  in_progress: RUNNING,
  complete: DONE,
  completed: DONE,
  success: DONE,
  delivered: { ...DONE, word: 'Delivered' },
  failed: FAILED,
  cancelled: CANCELLED,
  skipped: { ...CANCELLED, word: 'Skipped', Icon: SkipForward },
  blocked: {
    word: 'Blocked',
    text: 'text-warn',
    soft: 'bg-warn-soft',
    fill: 'var(--warn)',
    Icon: CircleSlash,
  },
  paused: {
    word: 'Paused',
    text: 'text-violet',
    soft: 'bg-violet-soft',
    fill: 'var(--violet)',
    Icon: CirclePause,
  },
};

export function lookOf(status: string): Look {
  return LOOKS[status] ?? { ...WAITING, word: status };
}

export function StatusIcon({ status, className }: { status: string; className?: string }) {
  const { Icon, text, isMoving } = lookOf(status);
  return (
    <Icon
      aria-hidden
      className={cx('size-4 shrink-0', text, isMoving && 'motion-safe:animate-spin', className)}
    />
  );
}

export function StatusBadge({ status, word }: { status: string; word?: string }) {
  const look = lookOf(status);
  return (
    <span
      className={cx(
        'inline-flex items-center gap-1 rounded-full py-0.5 pr-2 pl-1.5 text-xs font-medium whitespace-nowrap',
        look.text,
        look.soft,
      )}
    >
      <StatusIcon status={status} className="size-3.5" />
      {word ?? look.word}
    </span>
  );
}
