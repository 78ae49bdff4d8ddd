// How a run is made: with what, where, and on which of the runners.
import { isRequestBranch } from '../../../src/contract/request-branch.ts';
import { Checkbox, Field, Input, Select } from '../../ui/field.tsx';
import { ModelField } from '../../ui/model-field.tsx';
import { labelsOf } from './request-draft.ts';
import type { RequestDraft } from './request-draft.ts';

export interface PartProps {
  draft: RequestDraft;
  change: (part: Partial<RequestDraft>) => void;
  problem: (field: string) => string | undefined;
}

export function Where({ draft, change, problem, mayInPlace }: PartProps & { mayInPlace: boolean }) {
  const branch = draft.branch.trim();
  const isBad = branch !== '' && !isRequestBranch(branch);
  return (
    <div className="flex flex-col gap-3">
      {draft.inPlace ? null : (
        <Field
          label="Branch"
          hint="Empty: named after the work"
          problem={isBad ? 'Must be like millrace/fix-login' : problem('branch')}
        >
          {(props) => (
            <Input
              {...props}
              spellCheck={false}
              autoComplete="off"
              className="max-w-96 font-mono text-xs"
              placeholder="millrace/fix-login"
              value={draft.branch}
              onChange={(event) => change({ branch: event.target.value })}
            />
          )}
        </Field>
      )}
      {draft.inPlace ? null : (
        <Checkbox
          label="Open a pull request when it is complete"
          checked={draft.openRequest}
          onChange={(event) => change({ openRequest: event.target.checked })}
        />
      )}
      {mayInPlace ? (
        <Checkbox
          label="Work in the folder of the project, not on a branch"
          checked={draft.inPlace}
          onChange={(event) => change({ inPlace: event.target.checked })}
        />
      ) : null}
    </div>
  );
}

export function With({ draft, change, problem, agents }: PartProps & { agents: string[] }) {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <ModelField
        value={draft.model}
        onChange={(model) => change({ model })}
        hint="Empty: what the manifest or your team says"
        problem={problem('model')}
      />
      <Field label="Agent" hint="For streams that name none" problem={problem('agent')}>
        {(props) => (
          <Select
            {...props}
            value={draft.agent}
            onChange={(event) => change({ agent: event.target.value })}
          >
            <option value="">As the manifest says</option>
            {agents.map((agent) => (
              <option key={agent} value={agent}>
                {agent}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label="Budget in dollars"
        hint="It stops before it could cost more"
        problem={problem('maxCostUsd')}
      >
        {(props) => (
          <Input
            {...props}
            type="number"
            min={0}
            step="any"
            placeholder="No limit"
            value={draft.budget}
            onChange={(event) => change({ budget: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}

export function Which({ draft, change, problem, labels }: PartProps & { labels: string[] }) {
  const strange = labelsOf(draft.labels).filter((label) => !labels.includes(label));
  const known =
    labels.length === 0 ? 'Its runners have none' : `Its runners have ${labels.join(', ')}`;
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Field
        label="Labels"
        hint={
          strange.length === 0
            ? `Only runners with all of these. ${known}`
            : `No runner of the project has ${strange.join(', ')}: the run waits for one. ${known}`
        }
        problem={
          problem('labels') ??
          labelsOf(draft.labels).flatMap((_, at) => problem(`labels.${at}`) ?? [])[0]
        }
      >
        {(props) => (
          <Input
            {...props}
            spellCheck={false}
            autoComplete="off"
            placeholder="gpu, big"
            className="font-mono text-xs"
            value={draft.labels}
            onChange={(event) => change({ labels: event.target.value })}
          />
        )}
      </Field>
      <Field
        label="Priority"
        hint="Higher ones first, among what you ask for"
        problem={problem('priority')}
      >
        {(props) => (
          <Input
            {...props}
            type="number"
            min={-100}
            max={100}
            step={1}
            placeholder="0"
            value={draft.priority}
            onChange={(event) => change({ priority: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}
