// The agent of a stream at work: what it has changed so far, and what it says and does, to be read or by time.
import { useState } from 'react';
import type { StreamRow } from '../../../../src/domain/run/projection.ts';
import { SquareTerminal } from '../../../ui/frame-icons.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { EmptyState } from '../../../ui/surface.tsx';
import type { AgentStep } from './agent-steps.ts';
import { AgentTimeline } from './agent-timeline.tsx';
import { AgentTranscript } from './agent-transcript.tsx';
import { ChangedSoFar } from './changed-so-far.tsx';

/** A page with more rows is slow to draw; the log has all of them. */
const MOST_STEPS = 500;

const VIEWS = [
  ['transcript', 'Transcript'],
  ['timeline', 'Timeline'],
] as const;

export function AgentTab({ steps, row }: { steps: readonly AgentStep[]; row: StreamRow }) {
  const [view, setView] = useState<(typeof VIEWS)[number][0]>('transcript');
  if (steps.length === 0) {
    return (
      <EmptyState icon={<SquareTerminal />} title="Nothing seen yet">
        Turns, tools and messages of the agent show up here while it works.
      </EmptyState>
    );
  }
  const shown = steps.slice(-MOST_STEPS);
  return (
    <div className="flex flex-col gap-3">
      {row.changing === undefined ? null : <ChangedSoFar changing={row.changing} />}
      <Segmented label="How the work is shown" value={view} options={VIEWS} onChange={setView} />
      {shown.length < steps.length ? (
        <p className="text-xs text-soft">
          The last {shown.length} of {steps.length}; the Log tab of the run has all.
        </p>
      ) : null}
      {view === 'timeline' ? (
        <AgentTimeline steps={shown} from={steps[0]!.at} />
      ) : (
        <AgentTranscript steps={shown} isAtWork={row.status === 'in_progress'} />
      )}
    </div>
  );
}
