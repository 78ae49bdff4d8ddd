// What is wrong with a text, each with the way to its place.
import type { Problem } from '../../../src/manifest/problem.ts';
import { plural } from '../../ui/format.ts';
import { TriangleAlert } from '../../ui/frame-icons.tsx';
import { CircleX } from '../../ui/icons.tsx';

export function ProblemList({
  problems,
  onOpen,
}: {
  problems: readonly Problem[];
  onOpen: (problem: Problem) => void;
}) {
  return (
    <ul className="divide-y divide-line">
      {problems.map((problem, index) => (
        <li key={index}>
          <button
            type="button"
            onClick={() => onOpen(problem)}
            className="flex w-full items-start gap-2.5 px-4 py-2.5 text-left text-sm hover:bg-hover"
          >
            {problem.severity === 'error' ? (
              <CircleX aria-label="Error" className="mt-0.5 size-4 shrink-0 text-bad" />
            ) : (
              <TriangleAlert aria-label="Warning" className="mt-0.5 size-4 shrink-0 text-warn" />
            )}
            <span className="min-w-0 flex-1">
              {problem.message} <span className="text-soft">{problem.hint}</span>
            </span>
            <span className="text-xs whitespace-nowrap text-soft tabular">
              {problem.line}:{problem.column}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

export function headOf(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  if (problems.length === 0) return 'No problems';
  const parts = [
    errors > 0 ? plural(errors, 'error') : '',
    warnings > 0 ? plural(warnings, 'warning') : '',
  ];
  return parts.filter(Boolean).join(', ');
}
