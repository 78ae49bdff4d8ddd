import type { Webhook } from '../../../../src/contract/webhook-api.ts';
import { StatusBadge } from '../../../ui/status.tsx';

const LOOKS = {
  active: { status: 'complete', word: 'Active' },
  paused: { status: 'paused', word: 'Paused' },
  disabled: { status: 'failed', word: 'Disabled' },
} as const;

export function WebhookStatus({ status }: { status: Webhook['status'] }) {
  return <StatusBadge {...LOOKS[status]} />;
}
