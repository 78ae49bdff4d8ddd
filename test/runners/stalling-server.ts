// A repository behind a connection that stands still after so many bytes.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export async function stallingServer(
  folder: string,
  mostBytes: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    // The first packet names the repository; there is one.
    socket.once('data', (first) => {
      const length = Number.parseInt(first.subarray(0, 4).toString(), 16);
      const program = spawn('git', ['upload-pack', folder], { stdio: ['pipe', 'pipe', 'inherit'] });
      program.on('error', () => socket.destroy());
      program.on('close', () => socket.destroy());
      program.stdin.on('error', () => undefined);
      program.stdin.write(first.subarray(length));
      socket.pipe(program.stdin);
      let sent = 0;
      program.stdout.on('data', (chunk: Buffer) => {
        sent += chunk.length;
        if (sent > mostBytes) program.stdout.pause();
        else socket.write(chunk);
      });
      socket.on('close', () => {
        open.delete(socket);
        program.kill('SIGKILL');
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `git://127.0.0.1:${port}/shop`,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
