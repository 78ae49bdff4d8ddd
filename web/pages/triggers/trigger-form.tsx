// What starts a trigger, and what it runs: for a new one, and to change one.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Project, Runner } from '../../../src/contract/runner-api.ts';
import type { Trigger, TriggerKind } from '../../../src/contract/trigger-api.ts';
import { checkBranchTemplate, checkTemplate } from '../../../src/domain/trigger/fill-template.ts';
import { problemOf, problemWithin } from '../../api/field-problems.ts';
import { useMe } from '../../session/me.ts';
import { Field, Input } from '../../ui/field.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { offersOf } from '../requests/request-draft.ts';
import { ProjectField, WorkFields } from '../requests/work-fields.tsx';
import type { WorkTexts } from '../requests/work-fields.tsx';
import { FormEnd, FormPart } from '../starts/form-parts.tsx';
import { RuleFields } from '../starts/rule-fields.tsx';
import { isSame } from '../starts/rules-draft.ts';
import { EventFields } from './event-fields.tsx';
import { KIND_WORDS } from './event-words.ts';
import { TemplateValues } from './template-values.tsx';
import { isComplete } from './trigger-draft.ts';
import type { TriggerDraft } from './trigger-draft.ts';

const KINDS = Object.entries(KIND_WORDS) as [TriggerKind, string][];

function textsOf(draft: TriggerDraft): WorkTexts {
  const isCall = draft.kind === 'url';
  const said = (what: string, wrong: string | undefined) =>
    wrong === undefined ? undefined : `The ${what} ${wrong}`;
  return {
    taskHint: 'What the event says is quoted below it.',
    taskExample: isCall ? 'Deploy {{values.env}}' : 'Fix {{issue.title}}',
    branchHint: 'Empty: named after the work',
    branchExample: isCall
      ? 'millrace/deploy-{{values.env}}'
      : 'millrace/{{issue.number}}-{{issue.title}}',
    wrongTask: (task) => said('task', checkTemplate(task, isCall)),
    wrongBranch: (branch) => said('branch', checkBranchTemplate(branch, isCall)),
    belowTask: <TemplateValues draft={draft} />,
  };
}

function isGood({ work }: TriggerDraft, { wrongTask, wrongBranch }: WorkTexts): boolean {
  const branch = work.branch.trim();
  const hasTask = work.kind !== 'task' || wrongTask?.(work.task) === undefined;
  return hasTask && (work.inPlace || branch === '' || wrongBranch(branch) === undefined);
}

export function TriggerForm({
  first,
  before,
  projects,
  runners,
  action,
  save,
}: {
  first: TriggerDraft;
  /** Undefined for a new one. */
  before: Trigger | undefined;
  projects: readonly Project[];
  runners: readonly Runner[];
  action: string;
  save: (draft: TriggerDraft) => Promise<void>;
}) {
  const { data: me } = useMe();
  const [draft, setDraft] = useState(first);
  const { work, kind } = draft;
  const offers = offersOf(
    projects.find(({ name }) => name === work.project),
    runners,
  );
  const saving = useMutation({ mutationFn: () => save(draft) });
  const change = (part: Partial<TriggerDraft>) => setDraft((now) => ({ ...now, ...part }));
  const problem = (field: string) => problemOf(saving.error, field);
  const texts = textsOf(draft);
  const workParts = {
    draft: work,
    change: (part: Partial<typeof work>) =>
      setDraft((now) => ({ ...now, work: { ...now.work, ...part } })),
    problem: (field: string) => problem(`work.${field}`),
  };
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <FormPart title="What starts it">
        <Field label="Name" problem={problem('name')}>
          {(props) => (
            <Input
              {...props}
              required
              maxLength={100}
              autoComplete="off"
              className="max-w-96"
              placeholder="Fix on label"
              value={draft.name}
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
        {before === undefined ? (
          <Segmented
            label="Who calls it"
            value={kind}
            onChange={(chosen) => change({ kind: chosen })}
            options={KINDS}
          />
        ) : null}
        {kind === 'url' ? (
          <p className="text-sm text-soft">
            Anything that can send a POST request, with the token that you get when it is created.
          </p>
        ) : (
          <EventFields
            draft={draft}
            forge={kind}
            change={change}
            problem={(field) => problemWithin(saving.error, field)}
          />
        )}
      </FormPart>
      <FormPart title="What it runs">
        <ProjectField
          {...workParts}
          names={projects.map(({ name }) => name)}
          isConnected={offers.isConnected}
        />
        <WorkFields {...workParts} offers={offers} texts={texts} />
      </FormPart>
      <FormPart title="Rules">
        <RuleFields
          draft={draft.rules}
          change={(part) => setDraft((now) => ({ ...now, rules: { ...now.rules, ...part } }))}
          problem={problem}
        />
        <FormEnd
          action={action}
          saving={saving}
          isReady={isComplete(draft) && isGood(draft, texts)}
          becomesOwner={
            before !== undefined && before.owner.userId !== me?.user.id && !isSame(work, first.work)
          }
        />
      </FormPart>
    </form>
  );
}
