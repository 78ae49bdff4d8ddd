// Run it again: a run belongs to a project on somebody's machine, so this ends in the command for it.
import { useState } from 'react';
import { CopyBlock } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Select } from '../../../ui/field.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { AskRunner } from '../../requests/ask-runner.tsx';
import type { RunView } from '../run-context.ts';
import { EstimateLine } from './estimate-line.tsx';
import { ownStreams, planRerun } from './rerun-plan.ts';
import type { RerunKind } from './rerun-plan.ts';
import { StreamNames } from './stream-names.tsx';

const LABELS: Readonly<Record<RerunKind, string>> = {
  rest: 'Resume the run',
  from: 'Run it from there',
  all: 'Run it again',
};

export function RerunDialog({
  view,
  open,
  onOpenChange,
}: {
  view: RunView;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { store } = view;
  const rows = ownStreams(store.projection);
  const [kind, setKind] = useState<RerunKind>(() =>
    planRerun(store, { kind: 'rest' }).again.length > 0 ? 'rest' : 'all',
  );
  const [from, setFrom] = useState(view.selected ?? rows[0]?.id);
  const plan = planRerun(store, { kind, from });
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
            ['rest', 'What is not done'],
            ['from', 'From a stream'],
            ['all', 'Everything'],
          ]}
        />
        {kind === 'from' ? (
          <Field label="Stream" hint="It runs again, and every stream that depends on it.">
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
        <div className="flex flex-wrap gap-4">
          <StreamNames title="Run again" rows={plan.again} />
          <StreamNames title="Reused as they are" rows={plan.reused} />
          {plan.left.length > 0 ? (
            <StreamNames title="Not run" rows={plan.left} withStatus />
          ) : null}
        </div>
        {plan.again.length === 0 ? (
          <p className="text-sm text-soft">Every stream is done: there is nothing to run.</p>
        ) : (
          <>
            <EstimateLine streams={plan.again.length} estimate={plan.estimate} model="" />
            <div>
              <AskRunner
                runId={view.runId}
                action={kind === 'rest' ? 'resume' : 'again'}
                from={kind === 'from' ? from : undefined}
              >
                {LABELS[kind]}
              </AskRunner>
              <CopyBlock text={plan.command} />
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}
