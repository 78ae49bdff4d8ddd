// The text of the process inside of the sandbox. It is made of functions, because Node inside sees none of our files.
import { filesOf } from './inside/files.ts';
import { runner } from './inside/run.ts';
import { scan, searcher } from './inside/search.ts';
import { serve } from './inside/serve.ts';

/** `folder`: where the copy is inside. */
export function insideProgram(folder: string): string {
  const root = JSON.stringify(folder);
  return `
const run = (${String(runner)})(${root});
const files = (${String(filesOf)})(${root});
const search = (${String(searcher)})(${root}, run, ${JSON.stringify(String(scan))});
(${String(serve)})({
  ...files,
  search: (asked) => {
    files.check(asked);
    return search(asked);
  },
  run: ({ command, ...limits }) => run(['/bin/sh', '-c', command], limits),
});
`;
}
