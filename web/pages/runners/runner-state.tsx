import type { Runner } from '../../../src/contract/runner-api.ts';
import { StatusBadge } from '../../ui/status.tsx';

const STATES: Readonly<Record<Runner['state'], { status: string; word: string }>> = {
  connected: { status: 'success', word: 'Connected' },
  draining: { status: 'paused', word: 'Draining' },
  away: { status: 'cancelled', word: 'Away' },
};

export function RunnerState({
  state,
  isDraining = false,
}: Pick<Runner, 'state'> & Partial<Pick<Runner, 'isDraining'>>) {
  return (
    <>
      <StatusBadge {...STATES[state]} />
      {isDraining && state === 'away' ? <StatusBadge {...STATES.draining} /> : null}
    </>
  );
}
