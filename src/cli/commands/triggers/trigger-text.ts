// A trigger and its log in lines.
import type { Trigger, TriggerDelivery } from '../../../client/index.ts';
import { IGNORE_REASONS } from '../../../contract/trigger-events.ts';
import { countOf, showUsd } from '../../terminal/figures.ts';
import { localTime } from '../../terminal/local-time.ts';
import { plain } from '../../terminal/plain-text.ts';
import { reasonText } from '../start-rules/reason-text.ts';

const IGNORED: Readonly<Record<string, string>> = {
  ...IGNORE_REASONS,
  inactive: 'The trigger was paused',
};

export const deliveryReasonText = (reason: string) => IGNORED[reason] ?? reasonText(reason);

export function deliveryText(delivery: TriggerDelivery, id = delivery.id): string {
  const { at, event, actor, result, reason, cancelled, request } = delivery;
  const parts = [
    id,
    localTime(at),
    result.padEnd(7),
    plain(event),
    ...(actor ? [plain(actor)] : []),
    ...(request ? [`${request.id} ${request.status}`] : []),
    ...(reason ? [deliveryReasonText(reason)] : []),
    ...(delivery.replayOf ? ['replay'] : []),
    ...(cancelled > 0 ? [`${countOf(cancelled, 'earlier run')} cancelled`] : []),
  ];
  return parts.join('  ');
}

export function triggerText(trigger: Trigger): string {
  const { id, name, kind, url, repository, events, filters, work, status, pausedReason } = trigger;
  const { owner, overlap, pauseAfterFailures, refused, lastDelivery } = trigger;
  const { budgetUsdPerMonth, spentUsdThisMonth } = trigger;
  const what = work.task ?? (work.manifest && 'path' in work.manifest ? work.manifest.path : '');
  const budget = budgetUsdPerMonth === null ? 'no limit' : `of ${showUsd(budgetUsdPerMonth)}`;
  const only = Object.entries(filters).map(
    ([field, values = []]) => `${field} ${values.join(',')}`,
  );
  const lines: [string, string][] = [
    ['Kind', kind],
    ['URL', plain(url)],
    ...(repository === null ? [] : [['Of', plain(repository)] as [string, string]]),
    ...(events.length === 0 ? [] : [['Events', events.join(', ')] as [string, string]]),
    ...(only.length === 0 ? [] : [['Only', plain(only.join('; '))] as [string, string]]),
    ['Status', pausedReason ? `${status}: ${reasonText(pausedReason)}` : status],
    ['Project', work.project],
    ['Runs', plain(what.split('\n', 1)[0]!.slice(0, 200))],
    ['Owner', owner.email],
    ['Spent', `${showUsd(spentUsdThisMonth)} this month, ${budget}`],
    [
      'Rules',
      `overlap ${overlap}, pause after ${pauseAfterFailures === null ? 'no number of' : pauseAfterFailures} failures`,
    ],
    ['Last', lastDelivery ? deliveryText(lastDelivery) : 'never'],
    ...(refused.count === 0
      ? []
      : [['Refused', `${countOf(refused.count, 'call')} without the secret`] as [string, string]]),
  ];
  const rows = lines.map(([head, text]) => `  ${head.padEnd(8)} ${text}`);
  return [`${id}  ${plain(name)}`, ...rows].join('\n');
}
