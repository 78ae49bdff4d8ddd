// Streams that could run side by side, were it not for a file that both write: the later one waits.
import type { PlanEdit } from '../../../src/manifest/edit/edit-plan.ts';
import type { Reason } from '../../../src/manifest/plan-manifest.ts';
import { Button } from '../../ui/button.tsx';
import { TriangleAlert } from '../../ui/frame-icons.tsx';
import type { CheckedPlan } from './plan-context.ts';

function sharedText(id: string, { id: other, shared }: Reason): string {
  if (shared === undefined) return `${other} and ${id} write to the same folder`;
  const { mine, theirs } = shared;
  if (mine === theirs) return `${other} and ${id} both write ${mine}`;
  return `${theirs} of ${other} and ${mine} of ${id} can be the same file`;
}

export function Overlaps({
  plan,
  edit,
  onOpen,
}: {
  plan: CheckedPlan;
  edit: ((edit: PlanEdit) => void) | undefined;
  onOpen: (id: string) => void;
}) {
  const found = plan.waves
    .flat()
    .flatMap(({ id, waitsFor }) =>
      waitsFor.filter(({ reason }) => reason === 'owns').map((wait) => ({ id, wait })),
    );
  if (found.length === 0) return null;
  return (
    <ul aria-label="Overlaps" className="flex flex-col gap-1.5">
      {found.map(({ id, wait }) => (
        <li
          key={`${id} ${wait.id}`}
          className="flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn"
        >
          <TriangleAlert aria-hidden className="size-4 shrink-0" />
          <span className="min-w-0 flex-1 basis-52">
            {sharedText(id, wait)}: {id} waits until {wait.id} is done. Move the file to one of
            them, or write the order down.
          </span>
          <span className="flex flex-wrap gap-1.5">
            <Button size="small" onClick={() => onOpen(id)}>
              Open {id}
            </Button>
            {edit ? (
              <Button
                size="small"
                onClick={() => edit({ kind: 'add', stream: id, list: 'deps', entry: wait.id })}
              >
                Wait for {wait.id}
              </Button>
            ) : null}
          </span>
        </li>
      ))}
    </ul>
  );
}
