// Which streams an action is about, by name.
import type { StreamRow } from '../../../../src/domain/run/projection.ts';
import { TitledList } from './titled-list.tsx';

const SAID = new Set(['skipped', 'failed', 'blocked']);

export function StreamNames({
  title,
  rows,
  withStatus = false,
}: {
  title: string;
  rows: readonly StreamRow[];
  withStatus?: boolean;
}) {
  const items = rows.map(({ name, status }) => (
    <>
      {name}
      {withStatus && SAID.has(status) ? <span className="text-faint"> ({status})</span> : null}
    </>
  ));
  return <TitledList title={title} items={items} />;
}
