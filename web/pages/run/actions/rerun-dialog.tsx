// Run it again: a run belongs to a project on somebody's machine, so this ends in the command for it.
import { useState } from 'react';
import type { StreamRow } from '../../../../src/domain/run/projection.ts';
import { CopyBlock } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input, Select } from '../../../ui/field.tsx';
import { formatDollars, plural } from '../../../ui/format.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import type { RunView } from '../run-context.ts';
import { ownStreams, planRerun } from './rerun-plan.ts';
import type { RerunKind } from './rerun-plan.ts';

function Names({ title, rows }: { title: string; rows: readonly StreamRow[] }) {
  return (
    <div className="min-w-0 flex-1">
      <h3 className="mb-1 text-xs font-medium text-faint">
        {title} ({rows.length})
      </h3>
      <ul
        tabIndex={0}
        aria-label={title}
        className="max-h-40 overflow-y-auto rounded-lg border border-line bg-sunken px-3 py-2 text-xs"
      >
        {rows.length === 0 ? <li className="text-faint">None</li> : null}
        {rows.map(({ id, name }) => (
          <li key={id} className="truncate py-0.5">
            {name}
          </li>
        ))}
      </ul>
    </div>
  );
}

export function RerunDialog({
  view,
  open,
  onOpenChange,
}: {
  view: RunView;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { projection } = view.store;
  const rows = ownStreams(projection);
  const [kind, setKind] = useState<RerunKind>(
    projection.end?.type === 'run.completed' ? 'all' : 'failed',
  );
  const [from, setFrom] = useState(view.selected ?? rows[0]?.id);
  const [model, setModel] = useState('');
  const plan = planRerun(projection, { kind, from, model: model.trim() });
  const estimate =
    plan.costUsd === null
      ? 'unknown: a model has no price'
      : `about ${formatDollars(plan.costUsd)}`;
  return (
    <Dialog
      wide
      open={open}
      onOpenChange={onOpenChange}
      title="Run again"
      lead="Runs happen in the project. Choose what runs, then copy the command."
    >
      <div className="flex flex-col gap-4">
        <Segmented
          label="What runs again"
          value={kind}
          onChange={setKind}
          options={[
            ['failed', 'What is not done'],
            ['from', 'From a stream'],
            ['all', 'Everything'],
          ]}
        />
        <div className="flex flex-wrap gap-4">
          {kind === 'from' ? (
            <Field label="Stream">
              {(props) => (
                <Select {...props} value={from} onChange={(event) => setFrom(event.target.value)}>
                  {rows.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          ) : null}
          <div className="w-64">
            <Field label="Another model" hint="Optional. Overrides the manifest for this run.">
              {(props) => (
                <Input
                  {...props}
                  placeholder={projection.model}
                  value={model}
                  onChange={(event) => setModel(event.target.value)}
                />
              )}
            </Field>
          </div>
        </div>
        <div className="flex flex-wrap gap-4">
          <Names title="Run again" rows={plan.again} />
          <Names title="Reused as they are" rows={plan.reused} />
        </div>
        {plan.again.length === 0 ? (
          <p className="text-sm text-soft">Every stream is done: there is nothing to run.</p>
        ) : (
          <>
            <p className="text-sm text-soft">
              {plural(plan.again.length, 'stream')}, {estimate}
              {model.trim() === ''
                ? ', as in this run.'
                : ' at the prices of this run; another model may cost more or less.'}
            </p>
            <CopyBlock text={plan.command} />
          </>
        )}
      </div>
    </Dialog>
  );
}
