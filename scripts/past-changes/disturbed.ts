// The files of a change as a model might propose them: cut into streams by folder, with the mistakes that models make.
export const DISTURBANCES = [
  'none',
  'wrong paths',
  'overlaps',
  'missing hubs',
  'cycles',
  'one huge stream',
  'a stream each file',
] as const;
export type Disturbance = (typeof DISTURBANCES)[number];

interface Stream {
  id: string;
  name: string;
  owns: string[];
  deps: string[];
  plan: string;
}

const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

function streamsBy(files: readonly string[], keyOf: (path: string) => string): Stream[] {
  return [...Map.groupBy(files, keyOf).values()].map((owns, at) => ({
    id: `part-${at + 1}`,
    name: `Part ${at + 1}`,
    owns: [...owns],
    deps: [],
    plan: `Change ${owns.join(', ')}.`,
  }));
}

/** `isHub`: files that a careless plan names and gives to nobody. */
export function disturbed(
  files: readonly string[],
  how: Disturbance,
  isHub: (path: string) => boolean,
): { streams: Stream[] } {
  const streams = streamsBy(files, how === 'a stream each file' ? (path) => path : folderOf);
  const first = streams[0]!;
  const last = streams.at(-1)!;
  switch (how) {
    case 'wrong paths':
      for (const stream of streams)
        stream.owns.push('no-such-folder/deep/file.ts', '../outside.ts');
      first.owns.push('.git/config', '.env');
      break;
    case 'overlaps':
      for (const stream of streams) stream.owns.push(first.owns[0]!);
      last.owns.push(`${folderOf(first.owns[0]!)}/`.replace(/^\/$/, first.owns[0]!));
      break;
    case 'missing hubs':
      // The plan still names them; a stream of hubs alone is no oversight.
      for (const stream of streams) {
        const others = stream.owns.filter((path) => !isHub(path));
        if (others.length > 0) stream.owns = others;
      }
      break;
    case 'cycles':
      for (const [at, stream] of streams.entries()) {
        stream.deps = [streams[(at + 1) % streams.length]!.id];
      }
      break;
    case 'one huge stream':
      return { streams: [{ ...first, owns: [...files], plan: 'Change everything.' }] };
    case 'none':
    case 'a stream each file':
      break;
  }
  return { streams };
}
