// The agent of a stream at work: turns, tools, what was refused, and what it says.
import { SquareTerminal } from '../../../ui/icons.tsx';
import { cx } from '../../../ui/class-names.ts';
import { formatDuration } from '../../../ui/format.ts';
import { EmptyState } from '../../../ui/surface.tsx';
import type { AgentStep } from './agent-steps.ts';

/** A page with more rows is slow to draw; the log has all of them. */
const MOST_STEPS = 500;

function wordOf(step: AgentStep): string {
  return step.kind === 'start' ? `attempt ${step.attempt}` : step.kind;
}

function Step({ step }: { step: AgentStep }) {
  switch (step.kind) {
    case 'start':
      return <span className="text-soft">by {step.agent}</span>;
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
  }
}

export function AgentTab({ steps }: { steps: readonly AgentStep[] }) {
  if (steps.length === 0) {
    return (
      <EmptyState icon={<SquareTerminal />} title="Nothing seen yet">
        Turns, tools and messages of the agent show up here while it works.
      </EmptyState>
    );
  }
  const shown = steps.slice(-MOST_STEPS);
  const from = steps[0]!.at;
  return (
    <>
      {shown.length < steps.length ? (
        <p className="mb-2 text-xs text-soft">
          The last {shown.length} of {steps.length}; the Log tab of the run has all.
        </p>
      ) : null}
      <ol className="flex flex-col divide-y divide-line rounded-lg border border-line text-xs">
        {shown.map((step) => (
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
    </>
  );
}
