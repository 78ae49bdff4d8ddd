// Whether a schedule or a trigger starts runs, and what would make a paused one start them again.
import type { PauseReason } from '../../../src/contract/start-reasons.ts';
import { useMayWrite } from '../../session/rights.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { reasonText } from './reason-text.ts';

interface Starter {
  status: 'active' | 'paused';
  pausedReason: PauseReason | null;
  pausedAt: string | null;
}

const NEW_OWNER = 'Who resumes it becomes its owner: its runs act and pay as that person.';

const REMEDIES: Readonly<Record<PauseReason, string>> = {
  user: NEW_OWNER,
  failures: `Look at the last ones, and resume it when they can succeed. ${NEW_OWNER}`,
  owner_left: NEW_OWNER,
  owner_role: NEW_OWNER,
  owner_suspended: NEW_OWNER,
};

export function StarterState({ starter: { status, pausedReason } }: { starter: Starter }) {
  return (
    <>
      <StatusBadge
        {...(status === 'active'
          ? { status: 'success', word: 'Active' }
          : { status: 'paused', word: 'Paused' })}
      />
      {pausedReason === null || pausedReason === 'user' ? null : (
        <p className="mt-1 max-w-56 text-xs text-soft">{reasonText(pausedReason)}</p>
      )}
    </>
  );
}

export function PausedNotice({
  starter: { status, pausedReason, pausedAt },
}: {
  starter: Starter;
}) {
  const mayWrite = useMayWrite();
  if (status === 'active') return null;
  return (
    <p
      role="status"
      className="mb-4 rounded-xl border border-line bg-surface px-4 py-3 text-sm shadow-card"
    >
      <span className="font-medium">Paused</span>
      {pausedAt === null ? null : (
        <>
          {' '}
          <Ago time={pausedAt} />
        </>
      )}
      {pausedReason === null ? '.' : `: ${lower(reasonText(pausedReason))}.`}{' '}
      {mayWrite ? REMEDIES[pausedReason ?? 'user'] : null}
    </p>
  );
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
