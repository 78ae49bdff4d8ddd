// The least that the SDK needs for three tools over standard input and output, as its documentation
// shows it. Plain JavaScript: types would have to be stripped at each start.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'bare', version: '1.0.0' });
  for (const name of ['execute', 'status', 'cancel']) {
    server.registerTool(
      name,
      { description: `The tool ${name}`, inputSchema: z.object({ text: z.string() }) },
      async ({ text }) => ({ content: [{ type: 'text', text }] }),
    );
  }
  return server;
});
