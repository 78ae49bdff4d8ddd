// What an agent did, and when.
import { cx } from '../../../ui/class-names.ts';
import { formatDuration, plural } from '../../../ui/format.ts';
import type { AgentStep } from './agent-steps.ts';

function wordOf(step: AgentStep): string {
  return step.kind === 'start' ? `attempt ${step.attempt}` : step.kind;
}

function Step({ step }: { step: AgentStep }) {
  switch (step.kind) {
    case 'start':
      return <span className="text-soft">by {step.agent}</span>;
    case 'session':
      return (
        <span className="text-soft">
          {step.continued ? 'continues that of the attempt before' : `new. ${step.why ?? ''}`}
        </span>
      );
    case 'turn':
      return step.ok ? (
        <span className="text-soft">
          {step.turn}, {formatDuration(step.durationMs)}
        </span>
      ) : (
        <span className="text-bad">{step.error ?? `${step.turn} failed`}</span>
      );
    case 'tool':
      return (
        <>
          <code className="font-medium">{step.name}</code>{' '}
          <code className="text-soft">{step.argument}</code>
          {step.durationMs === undefined ? null : (
            <span className="text-faint"> {formatDuration(step.durationMs)}</span>
          )}
        </>
      );
    case 'refused':
      return (
        <span className="text-warn">
          <code>{step.subject}</code>: {step.why}
        </span>
      );
    case 'message':
      return <span className="whitespace-pre-wrap">{step.text}</span>;
    case 'thought':
      return <span className="whitespace-pre-wrap text-soft italic">{step.text}</span>;
    case 'changed':
      return (
        <span className="text-soft tabular">
          {plural(step.files, 'file')} +{step.additions} -{step.deletions}
        </span>
      );
  }
}

export function AgentTimeline({ steps, from }: { steps: readonly AgentStep[]; from: number }) {
  return (
    <ol
      aria-label="Timeline of the agent"
      className="flex flex-col divide-y divide-line rounded-lg border border-line text-xs"
    >
      {steps.map((step) => (
        <li
          key={step.seq}
          className={cx('flex gap-3 px-3 py-1.5', step.kind === 'start' && 'font-medium')}
        >
          <span
            title={new Date(step.at).toISOString()}
            className="w-14 shrink-0 text-right text-faint tabular"
          >
            {formatDuration(step.at - from)}
          </span>
          <span className="w-16 shrink-0 text-faint">{wordOf(step)}</span>
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <Step step={step} />
          </span>
        </li>
      ))}
    </ol>
  );
}
