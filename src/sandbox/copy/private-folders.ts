// What a sandboxed process has for itself: a home, a temp folder, and who it is.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSIDE } from '../inside.ts';
import type { Workplace } from '../workplace.ts';
import { removeTree } from './remove-tree.ts';

/** Of one command. A home that it was given is not its own, and stays. */
export function makePrivateFolders(
  workplace: Workplace,
  user: { uid: number; gid: number },
  home?: string,
) {
  const own = join(workplace.path, workplace.newFolder('private'));
  for (const name of ['home', 'temp', 'accounts', 'sockets']) mkdirSync(join(own, name));
  const { uid, gid } = user;
  const root = 'root:x:0:0:root:/:/usr/sbin/nologin\n';
  const nobody = 'nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n';
  const person = `sandbox:x:${uid}:${gid}:sandbox:${INSIDE.home}:/bin/sh\n`;
  writeFileSync(
    join(own, 'accounts', 'passwd'),
    (uid === 0 ? '' : root) + person + (uid === 65534 ? '' : nobody),
  );
  writeFileSync(join(own, 'accounts', 'group'), `root:x:0:\nsandbox:x:${gid}:\nnogroup:x:65534:\n`);
  writeFileSync(join(own, 'accounts', 'hosts'), '127.0.0.1 localhost sandbox\n::1 localhost\n');
  return {
    home: home ?? join(own, 'home'),
    temp: join(own, 'temp'),
    accounts: join(own, 'accounts'),
    sockets: join(own, 'sockets'),
    remove: () => removeTree(own),
  };
}
