import { command } from '../../../ui/command.ts';
import { Loaded } from '../../../ui/surface.tsx';
import { WaitingReview } from '../../review/waiting-review.tsx';
import { AskRunner } from '../../requests/ask-runner.tsx';
import type { RunView } from '../run-context.ts';
import { streamLabel } from '../stream-label.ts';
import { useViewSearch } from '../view-search.ts';
import { ChangesView } from './changes-view.tsx';
import { useChanges } from './use-changes.ts';

export function ChangesTab({ runId, store, onOpen }: RunView) {
  const changes = useChanges(runId, store);
  const filter = useViewSearch();
  const { end, isReverted } = store.projection;
  return (
    <>
      <WaitingReview
        id={runId}
        begin={
          // It has come to its end, and what it wrote stands.
          end === undefined || isReverted || changes.data?.streams.length === 0
            ? undefined
            : {
                text: 'Take parts back, or comment and ask for changes. The review opens here; what runs in the project carries it out.',
                ways: (
                  <AskRunner
                    work={{ run: { id: runId, action: 'review' } }}
                    command={command('review', runId, '--review-in', 'web')}
                    label="Review"
                  >
                    Review in the browser
                  </AskRunner>
                ),
              }
        }
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
