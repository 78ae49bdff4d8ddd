// Runs inside of the sandbox, as `files.ts` does: one request a line, one answer a line.

interface Request {
  id: number;
  op: string;
  asked: never;
}

type Operation = (asked: never) => object | Promise<object>;

export function serve(operations: Record<string, Operation>): void {
  const { createInterface } = process.getBuiltinModule('node:readline');
  const codes: Record<string, string> = {
    ENOENT: 'there is no such file',
    ENOTDIR: 'a part of its path is a file',
    EACCES: 'it cannot be opened',
    ENOSPC: 'the disk is full',
    ELOOP: 'it is a symbolic link, or below one',
    ENAMETOOLONG: 'its path is too long',
  };
  async function answer({ op, asked }: Request): Promise<object> {
    try {
      return { ok: true, value: await operations[op]!(asked) };
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      return { ok: false, error: codes[code] ?? (message || 'it failed') };
    }
  }
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const request = JSON.parse(line) as Request;
    void answer(request).then((reply) =>
      process.stdout.write(`${JSON.stringify({ id: request.id, ...reply })}\n`),
    );
  });
  lines.on('close', () => process.exit(0));
}
