import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project, Runner } from '../../../src/contract/runner-api.ts';
import { isRequestBranch } from '../../../src/contract/request-branch.ts';
import { api } from '../../api/client.ts';
import { problemOf } from '../../api/field-problems.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input, Select, TextArea } from '../../ui/field.tsx';
import { Play } from '../../ui/icons.tsx';
import { ModelField } from '../../ui/model-field.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Card } from '../../ui/surface.tsx';
import { isFilled, offersOf, requestOf } from './request-draft.ts';
import type { RequestDraft } from './request-draft.ts';

interface PartProps {
  draft: RequestDraft;
  change: (part: Partial<RequestDraft>) => void;
  problem: (field: string) => string | undefined;
}

function What({ draft, change, problem, manifests }: PartProps & { manifests: string[] }) {
  const known = manifests.includes(draft.path) || draft.path === '' ? manifests : [draft.path];
  switch (draft.kind) {
    case 'task':
      return (
        <Field
          label="Task"
          hint="It is planned with the files of the project, and run."
          problem={problem('task')}
        >
          {(props) => (
            <TextArea
              {...props}
              rows={7}
              value={draft.task}
              placeholder="Add a health endpoint that answers 200 when the database can be reached"
              onChange={(event) => change({ task: event.target.value })}
            />
          )}
        </Field>
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

function Where({ draft, change, problem, mayInPlace }: PartProps & { mayInPlace: boolean }) {
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

function With({ draft, change, problem, agents }: PartProps & { agents: string[] }) {
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

export function RequestForm({
  first,
  projects,
  runners,
}: {
  first: RequestDraft;
  projects: readonly Project[];
  runners: readonly Runner[];
}) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [typed, setDraft] = useState(first);
  const draft = { ...typed, project: typed.project || projects[0]!.name };
  const offers = offersOf(
    projects.find(({ name }) => name === draft.project),
    runners,
  );
  const start = useMutation({
    mutationFn: () =>
      api.runRequests.create(requestOf({ ...draft, inPlace: draft.inPlace && offers.mayInPlace })),
    onSuccess(request) {
      client.setQueryData(['request', request.id], request);
      return navigate({ to: '/requests/$requestId', params: { requestId: request.id } });
    },
  });
  const parts = {
    draft,
    change: (part: Partial<RequestDraft>) => setDraft((before) => ({ ...before, ...part })),
    problem: (field: string) => problemOf(start.error, field),
  };
  const branch = draft.branch.trim();
  const isReady = isFilled(draft) && (draft.inPlace || branch === '' || isRequestBranch(branch));
  return (
    <Card>
      <form
        className="flex flex-col gap-4 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          start.mutate();
        }}
      >
        <Field
          label="Project"
          problem={parts.problem('project')}
          {...(offers.isConnected
            ? {}
            : { hint: 'None of its runners is connected: the run waits until one is.' })}
        >
          {(props) => (
            <Select
              {...props}
              className="max-w-96"
              value={draft.project}
              onChange={(event) =>
                parts.change({ project: event.target.value, path: '', agent: '', inPlace: false })
              }
            >
              {projects.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Segmented
          label="What to run"
          value={draft.kind}
          onChange={(kind) => parts.change({ kind })}
          options={[
            ['task', 'A task in words'],
            ['file', 'A manifest'],
            ['text', 'YAML'],
          ]}
        />
        <What {...parts} manifests={offers.manifests} />
        <With {...parts} agents={offers.agents} />
        <Where {...parts} mayInPlace={offers.mayInPlace} />
        {start.error ? (
          <p role="alert" className="text-sm text-bad">
            {start.error.message}
          </p>
        ) : null}
        <div className="flex justify-end border-t border-line pt-4">
          <Button
            type="submit"
            look="primary"
            icon={<Play />}
            busy={start.isPending}
            disabled={!isReady}
          >
            Start the run
          </Button>
        </div>
      </form>
    </Card>
  );
}
