// Run it again: a run belongs to a project, so its runner does it, or a command there.
import { useState } from 'react';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input, Select } from '../../../ui/field.tsx';
import { PlainText } from '../../../ui/plain-text.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { AskRunner } from '../../requests/ask-runner.tsx';
import { useMaker } from '../../requests/use-maker.ts';
import { budgetOf } from '../cost/model-costs.ts';
import type { RunView } from '../run-context.ts';
import { EstimateLine } from './estimate-line.tsx';
import { branchOf, ownStreams, planRerun } from './rerun-plan.ts';
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
  const maker = useMaker(view.runId);
  const branch = branchOf(store);
  const limitUsd = budgetOf(store.events);
  const [budget, setBudget] = useState('');
  const maxCostUsd = Number(budget);
  return (
    <Dialog
      wide
      open={open}
      onOpenChange={onOpenChange}
      title="Run again"
      lead={
        maker === undefined
          ? 'Runs happen in the project. Choose what runs, then copy the command.'
          : 'Runs happen in the project, on its runner. Choose what runs.'
      }
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
            {maker === undefined ? null : (
              <>
                {branch === undefined ? null : (
                  <p className="text-sm text-soft [overflow-wrap:anywhere]">
                    {kind === 'all' ? (
                      'It begins on a new branch, at the commit that the project is at then.'
                    ) : (
                      <>
                        It continues on the branch <PlainText text={branch} />.
                      </>
                    )}
                  </p>
                )}
                <Field
                  label="Budget in dollars"
                  hint={
                    kind === 'rest' && store.projection.end?.type === 'run.paused'
                      ? 'For the whole run, with what it has cost. Empty: as before'
                      : 'It stops before it could cost more. Empty: as before'
                  }
                >
                  {(props) => (
                    <Input
                      {...props}
                      type="number"
                      min={0}
                      step="any"
                      className="max-w-60"
                      placeholder={limitUsd === undefined ? 'No limit' : String(limitUsd)}
                      value={budget}
                      onChange={(event) => setBudget(event.target.value)}
                    />
                  )}
                </Field>
              </>
            )}
            <AskRunner
              work={{ ...plan.work, ...(maxCostUsd > 0 ? { maxCostUsd } : {}) }}
              command={plan.command}
            >
              {LABELS[kind]}
            </AskRunner>
          </>
        )}
      </div>
    </Dialog>
  );
}
