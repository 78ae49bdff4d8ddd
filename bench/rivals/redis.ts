// A Redis of our own on a free port, with its log of writes in a folder that goes with it.
import { NotInstalled } from '../harness/job-system.ts';
import { freePort } from '../../src/platform/free-port.ts';
import { startProgram } from '../harness/program.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { findProgram } from './installed.ts';

/** `always`: on disk before the answer, like a commit. `everysec`: up to a second later. */
export type Fsync = 'always' | 'everysec';

export interface Redis {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

export async function startRedis(fsync: Fsync): Promise<Redis> {
  const program = findProgram('redis-server');
  if (program === undefined) {
    throw new NotInstalled('install redis-server (Debian: apt-get install redis-server)');
  }
  const folder = tempFolder('redis');
  const port = await freePort();
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder.path,
    save: '',
    appendonly: 'yes',
    appendfsync: fsync,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const server = startProgram(program, args);
  await server.untilListening(port);
  return {
    port,
    pid: server.pid,
    async stop() {
      await server.stop();
      folder.remove();
    },
  };
}
