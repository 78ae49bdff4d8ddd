// Hands a task to the server: first as a plan with its estimate, if one likes, then for real.
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ListTree, Play } from '../../ui/icons.tsx';
import { useState } from 'react';
import type { Execution } from '../../../src/contract/execution-api.ts';
import { api } from '../../api/client.ts';
import { problemOf } from '../../api/field-problems.ts';
import { WritersOnly } from '../../session/writers-only.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { ModelField } from '../../ui/model-field.tsx';
import { Path } from '../../ui/path.tsx';
import { Snippets } from '../../ui/snippets.tsx';
import { Card, CardHead, PageHead, Skeleton } from '../../ui/surface.tsx';
import { executionSnippets } from './execution-snippets.ts';
import { StepsField } from './steps-field.tsx';
import { command } from '../../ui/command.ts';

function NewExecution({ from }: { from: Execution | undefined }) {
  const navigate = useNavigate();
  const [task, setTask] = useState(from?.task ?? '');
  const [model, setModel] = useState(from?.model ?? '');
  const [maxSteps, setMaxSteps] = useState(String(from?.maxSteps ?? 10));
  const [budget, setBudget] = useState(String(from?.budgetUsd ?? ''));
  const asked = {
    task,
    model: model || undefined,
    maxSteps: Number(maxSteps) || undefined,
    budgetUsd: Number(budget) || undefined,
  };
  const start = useMutation({
    mutationFn: (dryRun: boolean) =>
      api.executions.create({
        task,
        ...(model ? { model } : {}),
        options: {
          dryRun,
          ...(asked.maxSteps === undefined ? {} : { maxSteps: asked.maxSteps }),
          ...(asked.budgetUsd === undefined ? {} : { budgetUsd: asked.budgetUsd }),
        },
      }),
    onSuccess: ({ id }) =>
      navigate({ to: '/executions/$executionId', params: { executionId: id } }),
  });
  const problem = (field: string) => problemOf(start.error, field);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
      <Card>
        <form
          className="flex flex-col gap-4 p-4"
          onSubmit={(event) => {
            event.preventDefault();
            start.mutate(false);
          }}
        >
          <Field
            label="Task"
            hint={`The server cannot see your project: put what matters into the task, or start it with ${command('exec', 'TASK', '--files', 'FILES')}.`}
            problem={problem('task')}
          >
            {(props) => (
              <TextArea
                {...props}
                rows={9}
                required
                value={task}
                placeholder="Add a health endpoint that answers 200 when the database can be reached"
                onChange={(event) => setTask(event.target.value)}
              />
            )}
          </Field>
          <div className="grid gap-4 sm:grid-cols-3">
            <ModelField
              value={model}
              onChange={setModel}
              hint="Empty: your team's default"
              problem={problem('model')}
            />
            <StepsField
              value={maxSteps}
              onChange={setMaxSteps}
              problem={problem('options.maxSteps')}
            />
            <Field
              label="Budget in dollars"
              hint="No call is made that could exceed it"
              problem={problem('options.budgetUsd')}
            >
              {(props) => (
                <Input
                  {...props}
                  type="number"
                  min={0}
                  step="any"
                  placeholder="No limit"
                  value={budget}
                  onChange={(event) => setBudget(event.target.value)}
                />
              )}
            </Field>
          </div>
          <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-4">
            <Button
              icon={<ListTree />}
              busy={start.isPending}
              disabled={task.trim() === ''}
              onClick={() => start.mutate(true)}
            >
              Preview the plan
            </Button>
            <Button
              type="submit"
              look="primary"
              icon={<Play />}
              busy={start.isPending}
              disabled={task.trim() === ''}
            >
              Run
            </Button>
          </div>
        </form>
      </Card>
      <Card>
        <CardHead title="Copy as" />
        <div className="p-4">
          <Snippets
            label="Copy as"
            snippets={executionSnippets({ ...asked, task: task || 'Add a health endpoint' })}
          />
        </div>
      </Card>
    </div>
  );
}

export function NewExecutionPage() {
  const { from } = useSearch({ from: '/executions/new' });
  const earlier = useQuery({
    queryKey: ['execution', from],
    queryFn: () => api.executions.get(from!),
    enabled: from !== undefined,
  });
  return (
    <>
      <Path to="/executions" label="Executions">
        New
      </Path>
      <PageHead
        title="New execution"
        lead={
          <>
            The model splits the task into steps. A preview makes the plan and its estimate, and
            runs nothing. For a plan to edit and to run in your project, use{' '}
            <Link to="/new" className="text-accent underline">
              New
            </Link>
            .
          </>
        }
      />
      <WritersOnly to="run a task">
        {from !== undefined && earlier.isPending ? (
          <Skeleton />
        ) : (
          <NewExecution from={earlier.data} />
        )}
      </WritersOnly>
    </>
  );
}
