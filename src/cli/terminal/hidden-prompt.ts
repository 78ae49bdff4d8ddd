// Asks for a secret on a terminal without showing what is typed.

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const BACKSPACES = ['\u007f', '\b'];

export async function readHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stdin.resume();
  try {
    return await new Promise<string>((resolve, reject) => {
      let typed = '';
      const onData = (chunk: string) => {
        for (const char of chunk) {
          if (char === '\r' || char === '\n' || char === CTRL_D) {
            stdin.off('data', onData);
            return resolve(typed.trim());
          }
          if (char === CTRL_C) {
            stdin.off('data', onData);
            return reject(new Error('Cancelled'));
          }
          typed = BACKSPACES.includes(char) ? typed.slice(0, -1) : typed + char;
        }
      };
      stdin.on('data', onData);
    });
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}
