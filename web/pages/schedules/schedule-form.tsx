// What a schedule does and when: for a new one, and to change one.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Project, Runner } from '../../../src/contract/runner-api.ts';
import type { Schedule } from '../../../src/contract/schedule-api.ts';
import { problemOf } from '../../api/field-problems.ts';
import { useMe } from '../../session/me.ts';
import { Field, Input, Select } from '../../ui/field.tsx';
import { offersOf } from '../requests/request-draft.ts';
import { RequestWork } from '../requests/request-work.tsx';
import { ProjectField, WORK_TEXTS, WorkFields } from '../requests/work-fields.tsx';
import { FormEnd, FormPart } from '../starts/form-parts.tsx';
import { RuleFields } from '../starts/rule-fields.tsx';
import { isSame } from '../starts/rules-draft.ts';
import { isComplete } from './schedule-draft.ts';
import type { ScheduleDraft } from './schedule-draft.ts';
import { TimesFields, usePreview } from './times-fields.tsx';

/** Intervals are counted on from where they are, as long as nothing about them is changed. */
function countedFrom(before: Schedule | undefined): Date | undefined {
  const [next] = before?.next ?? [];
  return before?.everySeconds && next
    ? new Date(Date.parse(next) - before.everySeconds * 1000)
    : undefined;
}

export function ScheduleForm({
  first,
  before,
  projects,
  runners,
  action,
  save,
}: {
  first: ScheduleDraft;
  /** Undefined for a new one. */
  before: Schedule | undefined;
  projects: readonly Project[];
  runners: readonly Runner[];
  action: string;
  save: (draft: ScheduleDraft) => Promise<void>;
}) {
  const { data: me } = useMe();
  const [draft, setDraft] = useState(first);
  const [from] = useState(() => countedFrom(before));
  const { work } = draft;
  const isRetimed = !isSame(draft.times, first.times);
  const preview = usePreview(draft.times, isRetimed ? undefined : from);
  const offers = offersOf(
    projects.find(({ name }) => name === work.project),
    runners,
  );
  const saving = useMutation({ mutationFn: () => save(draft) });
  const change = (part: Partial<ScheduleDraft>) => setDraft((now) => ({ ...now, ...part }));
  const problem = (field: string) => problemOf(saving.error, field);
  const workParts = {
    draft: work,
    change: (part: Partial<typeof work>) =>
      setDraft((now) => ({ ...now, work: { ...now.work, ...part } })),
    problem: (field: string) => problem(`work.${field}`),
  };
  const isOfRun = before?.work.run !== undefined;
  const branch = work.branch.trim();
  const isReady =
    preview.kind === 'times' &&
    (isOfRun ? draft.name.trim() !== '' : isComplete(draft)) &&
    (work.inPlace || branch === '' || WORK_TEXTS.wrongBranch(branch) === undefined);
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <FormPart title="When">
        <Field label="Name" problem={problem('name')}>
          {(props) => (
            <Input
              {...props}
              required
              maxLength={100}
              autoComplete="off"
              className="max-w-96"
              placeholder="Nightly upgrade"
              value={draft.name}
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
        <TimesFields
          draft={draft.times}
          change={(part) => setDraft((now) => ({ ...now, times: { ...now.times, ...part } }))}
          problem={(field) =>
            preview.kind === 'wrong' && preview.field === field ? preview.reason : problem(field)
          }
          preview={preview}
          counted={isRetimed || before === undefined ? 'saved' : from ? 'before' : 'resumed'}
        />
      </FormPart>
      {isOfRun ? (
        <RequestWork work={before.work} title="What it runs" />
      ) : (
        <FormPart title="What it runs">
          <ProjectField
            {...workParts}
            names={projects.map(({ name }) => name)}
            isConnected={offers.isConnected}
          />
          <WorkFields {...workParts} offers={offers} />
        </FormPart>
      )}
      <FormPart title="Rules">
        <RuleFields
          draft={draft.rules}
          change={(part) => setDraft((now) => ({ ...now, rules: { ...now.rules, ...part } }))}
          problem={problem}
        >
          <Field
            label="After times that were missed"
            hint="When no server was up at that time"
            problem={problem('catchUp')}
          >
            {(props) => (
              <Select
                {...props}
                value={draft.catchUp}
                onChange={(event) => change({ catchUp: event.target.value as Schedule['catchUp'] })}
              >
                <option value="once">Start one run for all of them</option>
                <option value="none">Start nothing</option>
              </Select>
            )}
          </Field>
        </RuleFields>
        <FormEnd
          action={action}
          saving={saving}
          isReady={isReady}
          becomesOwner={
            before !== undefined && before.owner.userId !== me?.user.id && !isSame(work, first.work)
          }
        />
      </FormPart>
    </form>
  );
}
