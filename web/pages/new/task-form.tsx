// The task in words, with what the model should know of the project.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { problemOf } from '../../api/field-problems.ts';
import { Button } from '../../ui/button.tsx';
import { command } from '../../ui/command.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Field, Select, TextArea } from '../../ui/field.tsx';
import { ListTree } from '../../ui/icons.tsx';
import { ModelField } from '../../ui/model-field.tsx';
import { Card } from '../../ui/surface.tsx';
import { useConnectedProjects } from '../runners/use-runners.ts';
import { StepsField } from '../executions/steps-field.tsx';
import type { ChangeDraft, Draft } from './draft.ts';
import { FilePicker } from './file-picker.tsx';
import type { PickedFile } from './read-files.ts';
import { RefusedPlan, wayOf } from './refused-plan.tsx';

/** What belongs to a field of the form is said there. */
const FIELDS = ['task', 'model', 'options.maxSteps'];

function requestOf({ task, model, maxSteps }: Draft, picked: readonly PickedFile[]) {
  const named = picked.map(({ path, text }) => [path.trim(), text] as const);
  const files = named.filter(([path]) => path !== '');
  return {
    task,
    ...(model.trim() === '' ? {} : { model: model.trim() }),
    ...(files.length === 0
      ? {}
      : { context: { files: files.map(([path]) => path), contents: Object.fromEntries(files) } }),
    options: { dryRun: true, ...(maxSteps === '' ? {} : { maxSteps: Number(maxSteps) }) },
  };
}

/** A command is one line, whatever the task. */
function newCommand({ task, model }: Draft): string {
  const flags = model.trim() === '' ? [] : ['--model', model.trim()];
  return command('new', ...flags, '--', task.trim().replaceAll(/\s+/g, ' ') || 'TASK');
}

export function TaskForm({
  draft,
  onChange,
  isPlanning,
}: {
  draft: Draft;
  onChange: ChangeDraft;
  isPlanning: boolean;
}) {
  const { task, model, maxSteps, yaml, planned } = draft;
  const projects = useConnectedProjects();
  const project = projects.includes(draft.project) ? draft.project : '';
  const [files, setFiles] = useState<PickedFile[]>([]);
  const [asking, setAsking] = useState(false);
  const plan = useMutation({
    mutationFn: async (): Promise<Partial<Draft>> => {
      if (project === '') {
        return { executionId: (await api.executions.create(requestOf(draft, files))).id };
      }
      const asked = { project, task, planOnly: true as const };
      const own = model.trim() === '' ? {} : { model: model.trim() };
      return { requestId: (await api.runRequests.create({ ...asked, ...own })).id };
    },
    onSuccess: (made) => onChange({ executionId: undefined, requestId: undefined, ...made }),
  });
  const problem = (field: string) => problemOf(plan.error, field);
  const isSaidAtField = FIELDS.some((field) => problem(field) !== undefined);
  return (
    <Card>
      <form
        className="flex flex-col gap-4 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (yaml === undefined || yaml === planned) plan.mutate();
          else setAsking(true);
        }}
      >
        <Field label="Task" problem={problem('task')}>
          {(props) => (
            <TextArea
              {...props}
              // A plan below it matters more.
              rows={yaml === undefined ? 6 : 3}
              required
              value={task}
              placeholder="Let readers search books by title and author, with tests"
              onChange={({ target }) => onChange({ task: target.value })}
            />
          )}
        </Field>
        {projects.length === 0 ? null : (
          <Field
            label="Plan with"
            hint={
              project === '' ? undefined : 'Its runner reads them there; none is sent from here'
            }
          >
            {(props) => (
              <Select
                {...props}
                className="!max-w-96"
                value={project}
                onChange={({ target }) => onChange({ project: target.value })}
              >
                <option value="">The files that are added here</option>
                {projects.map((name) => (
                  <option key={name} value={name}>
                    All files of {name}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
        {project === '' ? <FilePicker files={files} onChange={setFiles} /> : null}
        <div className="grid gap-4 sm:grid-cols-2">
          <ModelField
            value={model}
            onChange={(next) => onChange({ model: next })}
            hint="Empty: your team's default"
            problem={problem('model')}
          />
          {project === '' ? (
            <StepsField
              value={maxSteps}
              onChange={(next) => onChange({ maxSteps: next })}
              problem={problem('options.maxSteps')}
            />
          ) : null}
        </div>
        {plan.error && (!isSaidAtField || wayOf(plan.error)) ? (
          <RefusedPlan error={plan.error} />
        ) : null}
        <div className="flex flex-wrap items-center justify-end gap-3 border-t border-line pt-4">
          <p className="min-w-0 flex-1 basis-52 text-xs text-soft">
            {project === ''
              ? 'One call of the model. Nothing runs, and no run of your quota is used.'
              : `A runner of ${project} plans as you. Nothing is run or changed.`}
          </p>
          <Button
            type="submit"
            look="primary"
            icon={<ListTree />}
            busy={plan.isPending || isPlanning}
            disabled={task.trim() === ''}
          >
            {yaml === undefined ? 'Plan' : 'Plan again'}
          </Button>
        </div>
      </form>
      {project === '' ? (
        <div className="flex flex-col gap-2 border-t border-line p-4">
          <p className="text-xs text-soft">
            The server cannot see your project. In it, this command plans with all of its files:
          </p>
          <CopyBlock label="Command that plans with your files" text={newCommand(draft)} />
        </div>
      ) : null}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Replace your plan?"
        action="Plan again"
        onConfirm={() => {
          setAsking(false);
          plan.mutate();
        }}
      >
        You changed the plan below. The new one replaces it; Undo brings yours back.
      </ConfirmDialog>
    </Card>
  );
}
