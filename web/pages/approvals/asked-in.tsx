// What asked: a run, or an execution whose result is brought into a project.
import { Link } from '@tanstack/react-router';

const EXECUTION = /^exec_[0-9a-z]{26}$/;

export function AskedIn({ runId }: { runId: string }) {
  const className = 'text-accent underline';
  return EXECUTION.test(runId) ? (
    <Link
      to="/executions/$executionId"
      params={{ executionId: runId }}
      search={{ tab: 'changes' }}
      className={className}
    >
      {runId}
    </Link>
  ) : (
    <Link to="/runs/$runId" params={{ runId }} className={className}>
      {runId}
    </Link>
  );
}
