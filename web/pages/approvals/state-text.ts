import type { ListedApproval } from '../../../src/contract/approval-api.ts';

export function stateText({ status, kind, resolution }: ListedApproval): string {
  if (resolution === null) return 'Open';
  if (resolution.expired) return 'Denied: nobody answered in time';
  const by = resolution.by === null ? '' : ` by ${resolution.by.email}`;
  const word = kind === 'question' && status === 'approved' ? 'answered' : status;
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}${by}`;
}
