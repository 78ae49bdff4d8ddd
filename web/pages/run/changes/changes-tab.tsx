import { Loaded } from '../../../ui/surface.tsx';
import type { RunView } from '../run-context.ts';
import { streamLabel } from '../stream-label.ts';
import { useViewSearch } from '../view-search.ts';
import { ChangesView } from './changes-view.tsx';
import { useChanges } from './use-changes.ts';
import { WaitingReview } from './waiting-review.tsx';

export function ChangesTab({ runId, store, onOpen }: RunView) {
  const changes = useChanges(runId, store);
  const filter = useViewSearch();
  const { end, isReverted } = store.projection;
  return (
    <>
      <WaitingReview
        runId={runId}
        canBegin={end !== undefined && !isReverted && changes.data?.streams.length !== 0}
      />
      <Loaded query={changes}>
        {({ streams }) => (
          <ChangesView
            runId={runId}
            streams={streams}
            nameOf={(id) => streamLabel(store.projection, id)}
            onOpenStream={onOpen}
            filter={filter}
          />
        )}
      </Loaded>
    </>
  );
}
