// What an agent may do that it asks for. The sandbox holds it whatever is allowed here; a write outside of what its stream
// owns is refused before it happens, so that it can look for another way.
import { posix } from 'node:path';
import { z } from 'zod';

const Option = z.looseObject({ optionId: z.string(), kind: z.string() });
const Content = z.looseObject({ type: z.string(), path: z.unknown() });

export const PermissionRequest = z.looseObject({
  options: z.array(Option),
  toolCall: z.looseObject({
    toolCallId: z.string().catch(''),
    title: z.string().nullish().catch(undefined),
    kind: z.string().nullish().catch(undefined),
    locations: z
      .array(z.looseObject({ path: z.string() }))
      .nullish()
      .catch(undefined),
    content: z
      .array(z.union([Content, z.unknown().transform(() => undefined)]))
      .nullish()
      .catch(undefined),
  }),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

export interface Permission {
  outcome: { outcome: 'selected'; optionId: string } | { outcome: 'cancelled' };
  refused?: { subject: string; why: string };
}

const WRITES: ReadonlySet<string> = new Set(['edit', 'delete', 'move']);

function pathsOf({ toolCall }: PermissionRequest): string[] {
  const locations = (toolCall.locations ?? []).map(({ path }) => path);
  const shown = (toolCall.content ?? []).flatMap((each) =>
    each?.type === 'diff' && typeof each.path === 'string' ? [each.path] : [],
  );
  return [...new Set([...locations, ...shown])];
}

/** Undefined for what is not in the project. */
function inProject(path: string, folder: string): string | undefined {
  const inside = posix.relative(folder, posix.resolve(folder, path));
  return inside === '' || inside === '..' || inside.startsWith('../') ? undefined : inside;
}

export function decidePermission(
  request: PermissionRequest,
  { folder, mayWrite }: { folder: string; mayWrite(path: string): boolean },
  known: { kind?: string; paths?: readonly string[] } = {},
): Permission {
  const { options, toolCall } = request;
  const pick = (...kinds: string[]): Permission['outcome'] | undefined => {
    const found = kinds.flatMap((kind) => options.filter((option) => option.kind === kind))[0];
    return found && { outcome: 'selected', optionId: found.optionId };
  };
  const kind = toolCall.kind ?? known.kind ?? 'other';
  const own = pathsOf(request);
  const paths = own.length > 0 ? own : (known.paths ?? []);
  const outside = WRITES.has(kind)
    ? paths.filter((path) => {
        const inside = inProject(path, folder);
        // Its home and temp folder are its own.
        return inside !== undefined && !mayWrite(inside);
      })
    : [];
  if (outside.length === 0) {
    // "Always" would be about what nobody has seen.
    const allowed = pick('allow_once', 'allow_always');
    if (allowed !== undefined) return { outcome: allowed };
    const why = 'It left no way to allow it.';
    return { outcome: { outcome: 'cancelled' }, refused: { subject: toolCall.title ?? kind, why } };
  }
  const subject = outside.map((path) => inProject(path, folder)).join(', ');
  return {
    outcome: pick('reject_once', 'reject_always') ?? { outcome: 'cancelled' },
    refused: { subject, why: 'The stream does not own it.' },
  };
}
