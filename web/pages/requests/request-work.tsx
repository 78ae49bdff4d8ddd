// What was asked for, as it was written.
import { Link } from '@tanstack/react-router';
import type { RunRequestWork } from '../../../src/contract/run-request-api.ts';
import { formatDollars } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Card, CardHead } from '../../ui/surface.tsx';
import type { Work } from './request-draft.ts';

function Text({ label, text }: { label: string; text: string }) {
  return (
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-label={label}
      className="max-h-96 overflow-auto rounded-lg border border-line bg-sunken p-3 text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
    >
      <PlainText text={text} />
    </pre>
  );
}

function optionsOf(
  work: Work & Pick<Partial<RunRequestWork>, 'from' | 'planOnly'>,
): (readonly [string, string])[] {
  const { from, only, model, agent, maxCostUsd, inPlace, branch, openRequest, labels, priority } =
    work;
  const all = [
    ['Run', work.planOnly ? 'None: only the plan' : undefined],
    ['From stream', from],
    ['Only streams', only?.join(', ')],
    ['Model', model],
    ['Agent', agent],
    ['Budget', maxCostUsd === undefined ? undefined : formatDollars(maxCostUsd)],
    ['Where', inPlace ? 'In the folder of the project' : undefined],
    ['Branch', branch],
    ['Pull request', openRequest ? 'When it is complete' : undefined],
    ['Labels', labels.length > 0 ? labels.join(', ') : undefined],
    ['Priority', priority === 0 ? undefined : String(priority)],
  ] as const;
  return all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

export function RequestWork({
  work,
  title = 'What was asked for',
}: {
  /** A trigger asks for nothing that is done with an earlier run. */
  work: Work & Pick<Partial<RunRequestWork>, 'run' | 'from'>;
  title?: string;
}) {
  const { task, manifest, run } = work;
  const options = optionsOf(work);
  return (
    <Card>
      <CardHead title={title} />
      <div className="flex flex-col gap-3 p-4 text-sm">
        {task === undefined ? null : <Text label="Task" text={task} />}
        {manifest !== undefined && 'text' in manifest ? (
          <Text label="Manifest" text={manifest.text} />
        ) : null}
        {manifest !== undefined && 'path' in manifest ? (
          <p>
            Manifest <span className="font-mono text-xs">{manifest.path}</span>
          </p>
        ) : null}
        {run === undefined ? null : (
          <p className="[overflow-wrap:anywhere]">
            Of the run{' '}
            <Link
              to="/runs/$runId"
              params={{ runId: run.id }}
              className="font-mono text-xs text-accent hover:underline"
            >
              {run.id}
            </Link>
          </p>
        )}
        {options.length === 0 ? null : (
          <dl className="flex flex-wrap gap-x-8 gap-y-2">
            {options.map(([name, value]) => (
              <div key={name} className="min-w-0">
                <dt className="text-xs text-faint">{name}</dt>
                <dd className="[overflow-wrap:anywhere]">{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </Card>
  );
}
