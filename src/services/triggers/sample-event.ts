// An event as it could come, to see what a trigger would ask for.
import type { TriggerEventName } from '../../contract/trigger-events.ts';
import { EVENT_VALUES } from '../../domain/trigger/event.ts';
import type { TriggerEvent } from '../../domain/trigger/event.ts';
import { plainText } from '../../domain/trigger/plain-text.ts';
import type { TriggerRow } from '../../store/triggers/triggers.ts';

const SAMPLES: Readonly<Record<string, string>> = {
  'issue.number': '12',
  'issue.title': 'The search finds nothing',
  'comment.command': 'fix',
  'push.branch': 'main',
  'check.branch': 'main',
  'review.branch': 'search',
};
const SHA = '0'.repeat(40);

/** `values`: in place of the samples. */
export function sampleEvent(
  trigger: TriggerRow,
  name: TriggerEventName | 'call',
  values: Readonly<Record<string, string>>,
): TriggerEvent {
  const samples = Object.keys(EVENT_VALUES).map((key) => {
    const sample = key.endsWith('.sha') ? SHA : (SAMPLES[key] ?? `(${key})`);
    return [key, sample] as const;
  });
  const given = Object.entries(values).map(([key, value]) => [key, plainText(value)] as const);
  return {
    name,
    said: name,
    repository: trigger.repository,
    host: null,
    actor: values['actor'] ?? 'octocat',
    isBot: false,
    isOwn: false,
    isFork: false,
    labels: [],
    branch: null,
    paths: [],
    values: Object.fromEntries([...(name === 'call' ? [] : samples), ...given]),
  };
}
