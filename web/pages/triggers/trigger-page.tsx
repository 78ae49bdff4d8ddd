// One trigger: where it is called, what starts it, what it runs, and what came.
import { useParams } from '@tanstack/react-router';
import type { Trigger } from '../../../src/contract/trigger-api.ts';
import { useMayWrite } from '../../session/rights.ts';
import { CopyId } from '../../ui/copy.tsx';
import { Fact } from '../../ui/facts.tsx';
import { Path } from '../../ui/path.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Loaded, PageHead } from '../../ui/surface.tsx';
import { RequestWork } from '../requests/request-work.tsx';
import { StarterActions } from '../starts/starter-actions.tsx';
import { StarterFacts } from '../starts/starter-facts.tsx';
import { PausedNotice } from '../starts/starter-state.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { KIND_WORDS } from './event-words.ts';
import { RotateSecret } from './rotate-secret.tsx';
import { SetUp } from './set-up.tsx';
import { StartedBy } from './started-by.tsx';
import { TryEvent } from './try-event.tsx';
import { useTrigger } from './use-triggers.ts';

function Shown({ trigger }: { trigger: Trigger }) {
  const mayWrite = useMayWrite();
  const { id, name, kind, repository, work } = trigger;
  return (
    <>
      <PageHead title={<PlainText text={name} />}>
        {mayWrite ? (
          <StarterActions noun="trigger" starter={trigger}>
            <RotateSecret trigger={trigger} />
          </StarterActions>
        ) : null}
      </PageHead>
      <PausedNotice starter={trigger} />
      <StarterFacts starter={trigger}>
        <Fact name="Called by">{KIND_WORDS[kind]}</Fact>
        {repository === null ? null : <Fact name="Repository">{repository}</Fact>}
      </StarterFacts>
      <div className="flex flex-col gap-4">
        <SetUp trigger={trigger} />
        <StartedBy trigger={trigger} />
        <RequestWork work={work} title="What it runs" />
        {mayWrite ? <TryEvent key={id} trigger={trigger} /> : null}
        <DeliveryLog id={id} />
      </div>
    </>
  );
}

export function TriggerPage() {
  const { id } = useParams({ from: '/triggers/$id' });
  const trigger = useTrigger(id);
  return (
    <>
      <Path to="/triggers" label="Triggers">
        <CopyId id={id} />
      </Path>
      <Loaded query={trigger}>{(found) => <Shown trigger={found} />}</Loaded>
    </>
  );
}
