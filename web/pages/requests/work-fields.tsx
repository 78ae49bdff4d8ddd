// What is asked of a runner: now, at the times of a schedule, or when a trigger is called.
import type { ReactNode } from 'react';
import { isRequestBranch } from '../../../src/contract/request-branch.ts';
import { Checkbox, Field, Input, Select, TextArea } from '../../ui/field.tsx';
import { ModelField } from '../../ui/model-field.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { NotConnected } from '../runners/start-runner.tsx';
import { labelsOf } from './request-draft.ts';
import type { Offers, RequestDraft } from './request-draft.ts';

interface PartProps {
  draft: RequestDraft;
  change: (part: Partial<RequestDraft>) => void;
  problem: (field: string) => string | undefined;
}

/** Where what is asked for is a template: what it may name, and what is wrong with it. */
export interface WorkTexts {
  taskHint: string;
  taskExample: string;
  branchHint: string;
  branchExample: string;
  /** Undefined for a name that is good. */
  wrongBranch(branch: string): string | undefined;
  wrongTask?(task: string): string | undefined;
  belowTask?: ReactNode;
}

export const WORK_TEXTS: WorkTexts = {
  taskHint: 'It is planned with the files of the project, and run.',
  taskExample: 'Add a health endpoint that answers 200 when the database can be reached',
  branchHint: 'Empty: named after the work',
  branchExample: 'millrace/fix-login',
  wrongBranch: (branch) =>
    isRequestBranch(branch) ? undefined : 'Must be like millrace/fix-login',
};

/** With what is chosen, which the runners may not have any more. */
const withChosen = (known: readonly string[], chosen: string) =>
  chosen === '' || known.includes(chosen) ? known : [...known, chosen];

function What({
  draft,
  change,
  problem,
  manifests,
  texts,
}: PartProps & { manifests: readonly string[]; texts: WorkTexts }) {
  const known = withChosen(manifests, draft.path);
  switch (draft.kind) {
    case 'task':
      return (
        <>
          <Field
            label="Task"
            hint={texts.taskHint}
            problem={texts.wrongTask?.(draft.task) ?? problem('task')}
          >
            {(props) => (
              <TextArea
                {...props}
                rows={7}
                value={draft.task}
                placeholder={texts.taskExample}
                onChange={(event) => change({ task: event.target.value })}
              />
            )}
          </Field>
          {texts.belowTask}
        </>
      );
    case 'file':
      return (
        <Field
          label="Manifest"
          hint={
            known.length === 0
              ? 'Its runners have found none in the project.'
              : 'As it is in the commit that the run begins at.'
          }
          problem={problem('manifest.path')}
        >
          {(props) => (
            <Select
              {...props}
              value={draft.path}
              onChange={(event) => change({ path: event.target.value })}
            >
              <option value="">Choose one</option>
              {known.map((path) => (
                <option key={path} value={path}>
                  {path}
                </option>
              ))}
            </Select>
          )}
        </Field>
      );
    case 'text':
      return (
        <Field label="Manifest in YAML" problem={problem('manifest.text') ?? problem('manifest')}>
          {(props) => (
            <TextArea
              {...props}
              rows={14}
              spellCheck={false}
              className="font-mono text-xs"
              value={draft.text}
              onChange={(event) => change({ text: event.target.value })}
            />
          )}
        </Field>
      );
  }
}

function Where({
  draft,
  change,
  problem,
  mayInPlace,
  texts,
}: PartProps & { mayInPlace: boolean; texts: WorkTexts }) {
  const branch = draft.branch.trim();
  const wrong = branch === '' ? undefined : texts.wrongBranch(branch);
  return (
    <div className="flex flex-col gap-3">
      {draft.inPlace ? null : (
        <Field label="Branch" hint={texts.branchHint} problem={wrong ?? problem('branch')}>
          {(props) => (
            <Input
              {...props}
              spellCheck={false}
              autoComplete="off"
              className="max-w-96 font-mono text-xs"
              placeholder={texts.branchExample}
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
      {mayInPlace || draft.inPlace ? (
        <Checkbox
          label="Work in the folder of the project, not on a branch"
          checked={draft.inPlace}
          onChange={(event) => change({ inPlace: event.target.checked })}
        />
      ) : null}
    </div>
  );
}

function With({ draft, change, problem, agents }: PartProps & { agents: readonly string[] }) {
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
            {withChosen(agents, draft.agent).map((agent) => (
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

function Which({ draft, change, problem, labels }: PartProps & { labels: readonly string[] }) {
  const strange = labelsOf(draft.labels).filter((label) => !labels.includes(label));
  const known =
    labels.length === 0 ? 'Its runners have none' : `Its runners have ${labels.join(', ')}`;
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Field
        label="Labels of the runner"
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

/** Which project it is for; what was chosen in another one is not known there. */
export function ProjectField({
  draft,
  change,
  problem,
  names,
  isConnected,
}: PartProps & { names: readonly string[]; isConnected: boolean }) {
  return (
    <>
      <Field label="Project" problem={problem('project')}>
        {(props) => (
          <Select
            {...props}
            className="!max-w-96"
            value={draft.project}
            onChange={(event) =>
              change({
                project: event.target.value,
                path: '',
                agent: '',
                labels: '',
                inPlace: false,
              })
            }
          >
            {withChosen(names, draft.project).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {isConnected ? null : <NotConnected project={draft.project} />}
    </>
  );
}

/** All of it but the project. */
export function WorkFields({
  offers,
  texts = WORK_TEXTS,
  ...parts
}: PartProps & { offers: Offers; texts?: WorkTexts }) {
  return (
    <>
      <Segmented
        label="What to run"
        value={parts.draft.kind}
        onChange={(kind) => parts.change({ kind })}
        options={[
          ['task', 'A task in words'],
          ['file', 'A manifest'],
          ['text', 'YAML'],
        ]}
      />
      <What {...parts} manifests={offers.manifests} texts={texts} />
      <With {...parts} agents={offers.agents} />
      <Where {...parts} mayInPlace={offers.mayInPlace} texts={texts} />
      <Which {...parts} labels={offers.labels} />
    </>
  );
}
