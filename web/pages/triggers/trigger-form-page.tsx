// The form of a new trigger, and of one that is there.
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project, Runner } from '../../../src/contract/runner-api.ts';
import type { CreatedTrigger, Trigger } from '../../../src/contract/trigger-api.ts';
import { api } from '../../api/client.ts';
import { WritersOnly } from '../../session/writers-only.tsx';
import { shortId } from '../../ui/copy.tsx';
import { Path } from '../../ui/path.tsx';
import { Card, Loaded, PageHead } from '../../ui/surface.tsx';
import { toast } from '../../ui/toast.tsx';
import { NoRunners } from '../runners/start-runner.tsx';
import { useRunnersAndProjects } from '../runners/use-runners.ts';
import { ChangedMeanwhile } from '../starts/changed-meanwhile.tsx';
import { isSame } from '../starts/rules-draft.ts';
import { newDraft, triggerChange, triggerDraftOf, triggerOf } from './trigger-draft.ts';
import { TriggerForm } from './trigger-form.tsx';
import { TriggerSecret } from './trigger-secret.tsx';
import { useTrigger } from './use-triggers.ts';

interface Known {
  projects: readonly Project[];
  runners: readonly Runner[];
}

function NewForm({ projects, runners }: Known) {
  const { project } = useSearch({ from: '/triggers/new' });
  const client = useQueryClient();
  const navigate = useNavigate();
  const [created, setCreated] = useState<CreatedTrigger>();
  return (
    <>
      <TriggerForm
        first={newDraft(project ?? projects[0]!.name)}
        before={undefined}
        projects={projects}
        runners={runners}
        action="Create the trigger"
        save={async (draft) => {
          setCreated(await api.triggers.create(triggerOf(draft)));
          void client.invalidateQueries({ queryKey: ['triggers'] });
        }}
      />
      <TriggerSecret
        shown={created}
        // Its page has what is left to do. Not back to the form, which would make another one.
        onClose={() =>
          void navigate({ to: '/triggers/$id', params: { id: created!.id }, replace: true })
        }
      />
    </>
  );
}

export function NewTriggerPage() {
  const known = useRunnersAndProjects();
  return (
    <>
      <Path to="/triggers" label="Triggers">
        New
      </Path>
      <PageHead
        title="New trigger"
        lead="When it is called it asks a runner for a run, which acts and pays as you."
      />
      <WritersOnly to="make a trigger">
        <Loaded query={known}>
          {(data) =>
            data.projects.length === 0 ? (
              <Card>
                <NoRunners />
              </Card>
            ) : (
              <NewForm {...data} />
            )
          }
        </Loaded>
      </WritersOnly>
    </>
  );
}

function EditForm({ now, ...known }: Known & { now: Trigger }) {
  // What is sent is what differs from this, not from what others have made of it meanwhile.
  const [before] = useState(now);
  const [first] = useState(() => triggerDraftOf(now));
  const client = useQueryClient();
  const navigate = useNavigate();
  return (
    <>
      <ChangedMeanwhile isChanged={!isSame(triggerDraftOf(now), first)} />
      <TriggerForm
        {...known}
        first={first}
        before={before}
        action="Save the trigger"
        save={async (draft) => {
          await api.triggers.update(before.id, triggerChange(draft, first, before));
          await navigate({ to: '/triggers/$id', params: { id: before.id } });
          toast('The trigger was saved.', 'good');
          for (const key of ['trigger', 'triggers']) {
            void client.invalidateQueries({ queryKey: [key] });
          }
        }}
      />
    </>
  );
}

export function EditTriggerPage() {
  const { id } = useParams({ from: '/triggers/$id/edit' });
  const known = useRunnersAndProjects();
  const trigger = useTrigger(id, { isFresh: true });
  const both = {
    // As it is now: the form begins with it.
    data:
      known.data && trigger.data && trigger.isFetchedAfterMount
        ? { ...known.data, now: trigger.data }
        : undefined,
    error: known.error ?? trigger.error,
    refetch: () => Promise.all([known.refetch(), trigger.refetch()]),
  };
  return (
    <>
      <Path to="/triggers" label="Triggers">
        <Link to="/triggers/$id" params={{ id }} className="hover:text-text hover:underline">
          {shortId(id)}
        </Link>
        <span className="mx-1.5 text-faint">/</span>
        Edit
      </Path>
      <PageHead title="Edit the trigger" />
      <WritersOnly to="change a trigger">
        <Loaded query={both}>{(data) => <EditForm key={id} {...data} />}</Loaded>
      </WritersOnly>
    </>
  );
}
