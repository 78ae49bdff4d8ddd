// The plan, to look at and to change: its graph, one of its streams, and its text with what is wrong in it.
import { useCallback, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { PlanEdit } from '../../../src/manifest/edit/edit-plan.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { CircleX, Redo2, Undo2 } from '../../ui/icons.tsx';
import { Card, CardHead, EmptyState } from '../../ui/surface.tsx';
import { Editor } from '../manifests/editor.tsx';
import type { EditorHandle, EditorHistory } from '../manifests/editor.tsx';
import { PlanSummary } from '../manifests/live-plan.tsx';
import { modelsOf } from '../manifests/plan-cost.ts';
import { PlanEstimate } from '../manifests/plan-estimate.tsx';
import { ProblemList, headOf } from '../manifests/problem-list.tsx';
import { HandOver } from './hand-over.tsx';
import { Overlaps } from './overlaps.tsx';
import { PlanContext } from './plan-context.ts';
import { PlanGraph } from './plan-graph.tsx';
import { StreamPanel } from './stream-panel.tsx';
import { usePlanText } from './use-plan-text.ts';

const TYPES = 'input, textarea, select, [contenteditable="true"]';

export function Workbench({
  text,
  model,
  project,
  onChange,
}: {
  text: string;
  /** That it was planned with; empty for the default of the team. */
  model: string;
  /** Whose files it was planned with; empty where it is not known. */
  project: string;
  onChange: (text: string) => void;
}) {
  const { checked, plan, said, edit } = usePlanText(text, onChange);
  const [opened, setOpened] = useState<{ id: string; nth: number }>();
  const selected = opened?.id;
  const open = useCallback(
    (id: string) => setOpened((before) => ({ id, nth: (before?.nth ?? 0) + 1 })),
    [],
  );
  const [history, setHistory] = useState<EditorHistory>({ canUndo: false, canRedo: false });
  const editor = useRef<EditorHandle>(undefined);
  const graph = useRef<HTMLDivElement>(null);
  const isStale = checked.plan === undefined;
  const isWorkflow = plan?.manifest.notation === 'A';
  const mayEdit = !isStale && !isWorkflow;
  const context = useMemo(() => {
    if (plan === undefined) return undefined;
    const act = (change: PlanEdit) => {
      // The panel stays with its stream.
      if (!edit(change) || change.kind !== 'id') return;
      setOpened((before) => before && { ...before, id: change.id });
    };
    return { plan, selected, onOpen: open, edit: mayEdit ? act : undefined };
  }, [plan, selected, open, edit, mayEdit]);

  function onKeyDown(event: KeyboardEvent): void {
    const isTyping = (event.target as HTMLElement).closest(TYPES) !== null;
    if (isTyping || !(event.ctrlKey || event.metaKey)) return;
    const key = event.key.toLowerCase();
    const isRedo = key === 'y' || (key === 'z' && event.shiftKey);
    if (key !== 'z' && !isRedo) return;
    event.preventDefault();
    if (isRedo) editor.current?.redo();
    else editor.current?.undo();
  }

  /** Where the person was before the panel opened. */
  function close(): void {
    const id = selected;
    setOpened(undefined);
    graph.current
      ?.querySelector<HTMLElement>(`[data-stream="${CSS.escape(id ?? '')}"] button`)
      ?.focus({ preventScroll: true });
  }

  return (
    <div
      className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]"
      onKeyDown={onKeyDown}
    >
      <div className="flex min-w-0 flex-col gap-4">
        <Card>
          <CardHead title={plan ? `Plan: ${plan.name}` : 'Plan'}>
            <Button
              size="small"
              icon={<Undo2 />}
              disabled={!history.canUndo}
              onClick={() => editor.current?.undo()}
            >
              Undo
            </Button>
            <Button
              size="small"
              icon={<Redo2 />}
              disabled={!history.canRedo}
              onClick={() => editor.current?.redo()}
            >
              Redo
            </Button>
          </CardHead>
          <div className="flex flex-col gap-3 p-4">
            <p
              role="status"
              className={cx('min-h-5 text-sm', said?.isProblem ? 'text-bad' : 'text-soft')}
            >
              {said?.text ??
                (isWorkflow
                  ? 'Change streams of this notation in the text.'
                  : 'Drag a file to another stream, or open a stream to change it.')}
            </p>
            {isStale && plan ? (
              <p className="rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn">
                This is the last plan that could be read. Fix the errors in the text to change it
                here.
              </p>
            ) : null}
            {plan && context ? (
              <PlanContext value={context}>
                <PlanSummary plan={plan} />
                <Overlaps plan={plan} edit={context.edit} onOpen={open} />
                <div ref={graph}>
                  <PlanGraph plan={plan} />
                </div>
              </PlanContext>
            ) : (
              <EmptyState icon={<CircleX />} title="There is no plan yet">
                Fix the errors in the text. The plan shows up as soon as there are none.
              </EmptyState>
            )}
          </div>
        </Card>
        {context && opened ? (
          <PlanContext value={context}>
            <StreamPanel key={opened.nth} id={opened.id} onClose={close} />
          </PlanContext>
        ) : null}
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <Card className="overflow-hidden">
          <Editor
            text={text}
            problems={checked.problems}
            onChange={onChange}
            onHistory={setHistory}
            onReady={(handle) => (editor.current = handle)}
          />
        </Card>
        <Card>
          <CardHead title={<span role="status">{headOf(checked.problems)}</span>} />
          <ProblemList
            problems={checked.problems}
            onOpen={({ line, column }) => editor.current?.goTo(line, column)}
          />
        </Card>
        <HandOver
          text={text}
          isValid={!isStale}
          project={project}
          model={plan && modelsOf(plan.manifest, '').includes('') ? model : undefined}
        />
        {plan ? (
          <Card>
            <CardHead title="What a run may take" />
            <PlanEstimate
              manifest={plan.manifest}
              waves={plan.waves.map((streams) => streams.map(({ id }) => id))}
            />
          </Card>
        ) : null}
      </div>
    </div>
  );
}
