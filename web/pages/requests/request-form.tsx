// What to run, of which project, and how: a request as a form.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project, Runner } from '../../../src/contract/runner-api.ts';
import { isRequestBranch } from '../../../src/contract/request-branch.ts';
import { api } from '../../api/client.ts';
import { problemOf } from '../../api/field-problems.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Select, TextArea } from '../../ui/field.tsx';
import { ListTree, Play } from '../../ui/icons.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Card } from '../../ui/surface.tsx';
import { bringToPlan } from '../new/draft.ts';
import { NotConnected } from '../runners/start-runner.tsx';
import { isFilled, offersOf, planOf, requestOf } from './request-draft.ts';
import type { RequestDraft } from './request-draft.ts';
import { Which, Where, With } from './request-options.tsx';
import type { PartProps } from './request-options.tsx';

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
  const isKnown = projects.some(({ name }) => name === typed.project);
  const draft = { ...typed, project: isKnown ? typed.project : projects[0]!.name };
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
  const plan = useMutation({
    mutationFn: () => api.runRequests.create(planOf(draft)),
    onSuccess({ id, project }) {
      const { task, model } = draft;
      bringToPlan({ task, model, project, requestId: id, executionId: undefined });
      return navigate({ to: '/new' });
    },
  });
  const error = start.error ?? plan.error;
  const parts = {
    draft,
    change: (part: Partial<RequestDraft>) => setDraft((before) => ({ ...before, ...part })),
    problem: (field: string) => problemOf(error, field),
  };
  const branch = draft.branch.trim();
  const isReady = isFilled(draft) && (draft.inPlace || branch === '' || isRequestBranch(branch));
  return (
    <Card>
      <form
        className="flex flex-col gap-4 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          plan.reset();
          start.mutate();
        }}
      >
        <Field label="Project" problem={parts.problem('project')}>
          {(props) => (
            <Select
              {...props}
              className="!max-w-96"
              value={draft.project}
              onChange={(event) =>
                parts.change({
                  project: event.target.value,
                  path: '',
                  agent: '',
                  labels: '',
                  inPlace: false,
                })
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
        {offers.isConnected ? null : <NotConnected project={draft.project} />}
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
        <Which {...parts} labels={offers.labels} />
        {error ? (
          <p role="alert" className="text-sm text-bad">
            {error.message}
          </p>
        ) : null}
        <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-4">
          {draft.kind === 'task' ? (
            <Button
              icon={<ListTree />}
              busy={plan.isPending}
              disabled={!isReady || start.isPending}
              onClick={() => {
                start.reset();
                plan.mutate();
              }}
            >
              Plan it first
            </Button>
          ) : null}
          <Button
            type="submit"
            look="primary"
            icon={<Play />}
            busy={start.isPending}
            disabled={!isReady || plan.isPending}
          >
            Start the run
          </Button>
        </div>
      </form>
    </Card>
  );
}
