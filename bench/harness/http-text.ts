// Requests as texts for the load client.

export function postText(path: string, key: string, body: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nhost: bench\r\nx-api-key: ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

export function getText(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: bench\r\nx-api-key: ${key}\r\n\r\n`;
}

/** `%n` is replaced by ten digits when it is sent: count them, or the length is wrong. */
export function submitText(key: string, options: { prompt?: string; model?: string } = {}): string {
  const body = JSON.stringify({
    streamId: 's%n',
    prompt: options.prompt ?? 'Write something short. [[sim:tokens 5]]',
    model: options.model ?? 'sim-instant',
    maxTokens: 100,
  });
  const text = postText('/api/v1/execute', key, body.replaceAll('%n', '1000000001'));
  return text.replace('1000000001', '%n');
}
