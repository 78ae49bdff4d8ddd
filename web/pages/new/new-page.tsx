// From words to a manifest: a task, the plan that a model makes of it, and that plan to edit and take along.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, lazy, useCallback, useEffect, useState } from 'react';
import { WritersOnly } from '../../session/writers-only.tsx';
import { PageHead, Skeleton } from '../../ui/surface.tsx';
import { useDraft } from './draft.ts';
import { Planning } from './planning.tsx';
import { RunnerPlanning } from './runner-planning.tsx';
import { TaskForm } from './task-form.tsx';

/** With the editor of texts, which is most of the page: the task is written before it is here. */
const Workbench = lazy(async () => {
  const { Workbench: component } = await import('./workbench.tsx');
  return { default: component };
});

function NewPlan() {
  const [draft, change] = useDraft();
  const { from } = useSearch({ from: '/new' });
  const navigate = useNavigate({ from: '/new' });
  const { executionId, requestId, yaml } = draft;
  // Until the answer is here; one that ended without a plan leaves its reason on the page.
  const [ended, setEnded] = useState<string>();
  useEffect(() => {
    if (from === undefined) return;
    change({ executionId: from, requestId: undefined });
    void navigate({ search: {}, replace: true });
  }, [from, change, navigate]);
  const takePlan = useCallback(
    (manifest: string) =>
      change({
        yaml: manifest,
        planned: manifest,
        executionId: undefined,
        requestId: undefined,
      }),
    [change],
  );
  const underWay = executionId ?? requestId;
  const onText = useCallback((text: string) => change({ yaml: text }), [change]);
  return (
    <div className="flex flex-col gap-4">
      <TaskForm
        draft={draft}
        onChange={change}
        isPlanning={underWay !== undefined && underWay !== ended}
      />
      {executionId === undefined ? null : (
        <Planning
          key={executionId}
          executionId={executionId}
          onPlan={takePlan}
          onEnd={() => setEnded(executionId)}
        />
      )}
      {requestId === undefined ? null : (
        <RunnerPlanning
          key={requestId}
          requestId={requestId}
          onPlan={takePlan}
          onEnd={() => setEnded(requestId)}
        />
      )}
      {yaml === undefined ? null : (
        <Suspense fallback={<Skeleton />}>
          <Workbench
            text={yaml}
            model={draft.model.trim()}
            project={draft.project}
            onChange={onText}
          />
        </Suspense>
      )}
    </div>
  );
}

export function NewPage() {
  return (
    <>
      <PageHead
        title="New"
        lead="Say what you want. A model cuts it into streams, and you get a manifest to edit and to run in your project. The draft stays in this browser."
      />
      <WritersOnly to="plan a task">
        <NewPlan />
      </WritersOnly>
    </>
  );
}
