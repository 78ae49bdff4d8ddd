import { createContext } from 'react';
import type { RunStore } from '../../../live/run-store.ts';

/** What the nodes of the graph need; the graph library hands them only their place. */
export const GraphContext = createContext<
  { store: RunStore; selected: string | undefined; onOpen: (id: string) => void } | undefined
>(undefined);
