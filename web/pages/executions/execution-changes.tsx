// The file changes of an execution, step by step, and the commands that bring them into a project.
import { FileDiff } from '../../ui/icons.tsx';
import type { Execution } from '../../../src/contract/execution-api.ts';
import { command } from '../../ui/command.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { Card, CardHead, EmptyState } from '../../ui/surface.tsx';
import { WaitingReview } from '../review/waiting-review.tsx';
import { OperationDiff } from './operation-diff.tsx';

export function changedFiles({ result }: Execution): number {
  return new Set((result?.artifacts ?? []).flatMap(({ filesChanged }) => filesChanged)).size;
}

/** The server has no files of the project: what is looked through comes from the command that waits there. */
function ReviewOfExecution({ execution: { id, status } }: { execution: Execution }) {
  const text =
    'Accept or reject parts, comment and ask for changes. Run the command in the project: the review opens here, and the command carries it out.';
  const commands = [
    { label: 'Before it is written', text: command('apply', id, '--review-in', 'web') },
    { label: 'After it was applied', text: command('review', id, '--review-in', 'web') },
  ];
  const ways = (
    <div className="flex flex-col gap-3">
      {commands.map((command) => (
        <div key={command.label}>
          <p className="mb-1 text-soft">{command.label}:</p>
          <CopyBlock label={command.label} text={command.text} />
        </div>
      ))}
    </div>
  );
  return <WaitingReview id={id} begin={status === 'completed' ? { text, ways } : undefined} />;
}

export function ExecutionChanges({ execution }: { execution: Execution }) {
  const artifacts = execution.result?.artifacts ?? [];
  if (artifacts.every(({ operations }) => operations.length === 0)) {
    return (
      <Card>
        <EmptyState icon={<FileDiff />} title="No file changes">
          {execution.status === 'running'
            ? 'They show up here when the execution has ended.'
            : execution.dryRun
              ? 'A dry run makes a plan and changes nothing.'
              : 'None of the steps changed a file.'}
        </EmptyState>
      </Card>
    );
  }
  const { id } = execution;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-[minmax(0,1fr)_27rem]">
      <div className="flex min-w-0 flex-col gap-4">
        <ReviewOfExecution execution={execution} />
        {artifacts.map((artifact) => (
          <Card key={artifact.streamId}>
            <CardHead title={artifact.streamId} />
            <div className="flex flex-col gap-3 p-4">
              {artifact.summary ? <p className="text-sm text-soft">{artifact.summary}</p> : null}
              {artifact.operations.map((operation, index) => (
                <OperationDiff key={`${operation.path} ${index}`} operation={operation} />
              ))}
            </div>
          </Card>
        ))}
      </div>
      <Card>
        <CardHead title="Bring them into your project" />
        <div className="flex flex-col gap-3 p-4 text-sm text-soft">
          <p>Run these in your project. Nothing is written before you apply.</p>
          <CopyBlock label="Show the diff" text={command('diff', id)} />
          <CopyBlock label="Apply" text={command('apply', id)} />
          <p>To take it back:</p>
          <CopyBlock label="Revert" text={command('revert', id)} />
        </div>
      </Card>
    </div>
  );
}
