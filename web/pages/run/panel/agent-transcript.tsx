// What an agent says, thinks and does, to be read in order. While it works the end stays in view, unless the reader has
// scrolled away from it.
import { useEffect, useRef } from 'react';
import { formatDuration } from '../../../ui/format.ts';
import type { AgentStep } from './agent-steps.ts';

/** Nearer to the end than this is at the end. */
const NEAR = 40;

function Part({ step }: { step: AgentStep }) {
  switch (step.kind) {
    case 'start':
      return (
        <p className="border-b border-line pb-1 text-xs font-medium text-soft">
          Attempt {step.attempt} by {step.agent}
        </p>
      );
    case 'session':
      return (
        <p className="text-xs text-soft">
          {step.continued
            ? 'Continues its session of the attempt before.'
            : `Begins a new session. ${step.why ?? ''}`}
        </p>
      );
    case 'turn':
      return (
        <p className="text-xs text-bad">
          Turn {step.turn} failed: {step.error ?? 'no answer'}
        </p>
      );
    case 'tool':
      return (
        <p className="border-l-2 border-line-strong pl-2 text-xs">
          <code className="font-medium">{step.name}</code>{' '}
          <code className="text-soft">{step.argument}</code>
          {step.durationMs === undefined ? null : (
            <span className="text-faint"> {formatDuration(step.durationMs)}</span>
          )}
        </p>
      );
    case 'refused':
      return (
        <p className="border-l-2 border-warn pl-2 text-xs text-warn">
          Refused: <code>{step.subject}</code>: {step.why}
        </p>
      );
    case 'message':
      return <p className="text-sm whitespace-pre-wrap">{step.text}</p>;
    case 'thought':
      return (
        <p className="text-xs whitespace-pre-wrap text-soft italic">
          <span className="sr-only">Thought: </span>
          {step.text}
        </p>
      );
    case 'changed':
      return null;
  }
}

/** A turn that went well is what follows; counts of files are shown above. */
const isRead = (step: AgentStep) => (step.kind === 'turn' ? !step.ok : step.kind !== 'changed');

export function AgentTranscript({
  steps,
  isAtWork,
}: {
  steps: readonly AgentStep[];
  isAtWork: boolean;
}) {
  const box = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  const last = steps.at(-1)?.seq;
  useEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo(0, box.current.scrollHeight);
  }, [last]);
  return (
    <ol
      ref={box}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-label="Transcript of the agent"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
      className="flex max-h-[60vh] flex-col gap-2 overflow-y-auto rounded-lg border border-line p-3 [overflow-wrap:anywhere]"
    >
      {steps.filter(isRead).map((step) => (
        <li key={step.seq} title={new Date(step.at).toLocaleString()}>
          <Part step={step} />
        </li>
      ))}
      {isAtWork ? (
        <li aria-hidden className="pulse text-accent">
          ▍
        </li>
      ) : null}
    </ol>
  );
}
