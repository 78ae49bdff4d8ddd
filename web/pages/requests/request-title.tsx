// What was asked for, in a line that leads to it.
import { Link } from '@tanstack/react-router';
import type {
  RunAction,
  RunRequest,
  RunRequestWork,
} from '../../../src/contract/run-request-api.ts';
import { oneLine } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';

const ACTIONS: Readonly<Record<RunAction, string>> = {
  resume: 'Resume a run',
  again: 'Run again',
  revert: 'Revert a run',
  review: 'Review a run',
  request: 'Pull request of a run',
  fix: 'Fix the pull request of a run',
};

export function titleOf({
  work: { task, planOnly, manifest, run },
}: {
  work: Pick<Partial<RunRequestWork>, 'task' | 'planOnly' | 'manifest' | 'run'>;
}): string {
  if (run !== undefined) return ACTIONS[run.action];
  if (task !== undefined) return oneLine(planOnly ? `Plan: ${task}` : task).slice(0, 200);
  return manifest !== undefined && 'path' in manifest ? manifest.path : 'A manifest';
}

export function RequestTitle({ request }: { request: RunRequest }) {
  return (
    <Link
      to="/requests/$requestId"
      params={{ requestId: request.id }}
      className="line-clamp-2 min-w-0 font-medium [overflow-wrap:anywhere] hover:text-accent hover:underline"
    >
      <PlainText text={titleOf(request)} />
    </Link>
  );
}
