// Reads many streams with plain fetch: what holding them costs without a job behind each.
process.on('message', (message: { ask?: string; read?: { url: string; count: number } }) => {
  if (message.ask === 'stop') process.exit(0);
  if (message.ask === 'rss') process.send?.({ rss: process.memoryUsage.rss() });
  if (message.read) {
    const { url, count } = message.read;
    for (let i = 0; i < count; i++) void drain(`${url}&stream=r${i}`);
    process.send?.({ reading: true });
  }
});
process.on('disconnect', () => process.exit(0));

async function drain(url: string): Promise<void> {
  const response = await fetch(url);
  if (response.body === null) return;
  let size = 0;
  for await (const chunk of response.body) size += chunk.length;
}

process.send?.({ ready: {} });
