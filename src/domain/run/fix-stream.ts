// A fix stream: the same task as the stream that failed, with what went wrong. It always belongs to
// the stream that was in the manifest, never to another fix: so there is one chain, and it ends.
import type { NewStream } from '../../manifest/edit/editor.ts';
import type { FeatureStream, WorkflowStream } from '../../manifest/model.ts';

export const MAX_ATTEMPTS = 3;

/** Longer ids are not valid in a manifest. */
const LONGEST_ID = 128;

/** An id that no other stream has; that of the root is shortened when it has to be. */
export function fixId(
  rootId: string,
  number: number,
  isTaken: (id: string) => boolean = () => false,
): string {
  for (let turn = 1; ; turn++) {
    const end = turn === 1 ? `-fix-${number}` : `-fix-${number}-${turn}`;
    const id = `${rootId.slice(0, LONGEST_ID - end.length)}${end}`;
    if (!isTaken(id)) return id;
  }
}

/** Of a manifest of notation A it is known to the run alone: nothing is written into that file. */
export type FixStream = FeatureStream | (WorkflowStream & { parentStreamId: string });

/** Taken by a stream that is not a fix of this one. */
export function isTakenIn(
  streams: ReadonlyMap<string, FeatureStream | WorkflowStream>,
  rootId: string,
): (id: string) => boolean {
  return (id) => {
    const found = streams.get(id);
    const parent = found && 'parentStreamId' in found ? found.parentStreamId : undefined;
    return found !== undefined && parent !== rootId;
  };
}

/** `attempts` of the root before the fix starts: its first fix is number 1. */
export function makeFix(
  root: FeatureStream | WorkflowStream,
  attempts: number,
  id = fixId(root.id, attempts),
): FixStream {
  if ('description' in root) {
    const { state: _, ...stream } = root;
    const description = `Fix ${attempts} of ${root.description}`;
    return { ...stream, id, description, parentStreamId: root.id };
  }
  const { deps, owns, reads, plan, verify, optional, depth, timeoutMs } = root;
  const { model, models, maxTokens, reasoning, serviceTier } = root;
  const { agent, maxTurns, network, maxCostUsd, approve } = root;
  return {
    id,
    name: `Fix ${attempts} of ${root.name}`,
    deps,
    owns,
    reads,
    // The setup of the root was done; the fix begins where it ended.
    setup: [],
    verify,
    optional,
    depth,
    timeoutMs,
    status: 'pending',
    attempts: 0,
    parentStreamId: root.id,
    ...(plan !== undefined && { plan }),
    ...(model !== undefined && { model }),
    ...(models !== undefined && { models }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(root.contextTokens !== undefined && { contextTokens: root.contextTokens }),
    ...(reasoning !== undefined && { reasoning }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(agent !== undefined && { agent }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(network !== undefined && { network }),
    ...(maxCostUsd !== undefined && { maxCostUsd }),
    ...(approve !== undefined && { approve }),
  };
}

/** As it is written into the manifest: the plan stays with the root. */
export function asNewStream(fix: FeatureStream): NewStream {
  const { id, name, deps, owns, reads, verify, parentStreamId } = fix;
  const parent = parentStreamId === undefined ? {} : { parentStreamId };
  return { id, name, ...parent, deps, owns, reads, verify, status: 'pending' };
}
